/** What waits for an answer: the requests, newest first, and one of them with the form of its answer. */

import { useCallback, useEffect, useMemo, useState } from 'react';
import type { Interaction } from '../../api/workflow';
import { adjust, useAddress } from '../../app/address';
import { Grip } from '../../app/grip';
import { Blank, Button, Failure, Loading, Time, cx, partStyles } from '../../app/parts';
import { change, useSettings } from '../../app/settings';
import { useWorkspace } from '../../app/workspace';
import { Table, type Column } from '../../list/table';
import page from '../../style/page.module.css';
import { amount, count, inTime, localTime } from '../../words/time';
import { Request } from './request';
import { useRequests } from './requests';
import styles from './inbox.module.css';

const HOUR = 3_600_000;

/** How long there is to answer; amber in the last hour. */
export function Left({ until, now }: { until: string; now: number }) {
  const left = new Date(until).getTime() - now;
  return <span className={styles.left} data-tone={left <= HOUR ? 'warn' : undefined} title={`Expires ${localTime(until)}`}>{left <= 0 ? 'expires now' : inTime(until, now)}</span>;
}

const firstLine = (message: string): string => message.trim().split('\n', 1)[0] ?? '';

export default function Inbox() {
  const { folder } = useWorkspace();
  const settings = useSettings();
  const { fields } = useAddress();
  const to = fields['to'] ?? '';
  const named = fields['function'] ?? '';
  const chosen = fields['request'] ?? null;
  const requests = useRequests(folder.playbook.id, to, named);
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 15_000);
    return () => clearInterval(timer);
  }, []);
  const choose = useCallback((row: Interaction) => adjust({ request: row.run_id }), []);
  const columns = useMemo((): readonly Column<Interaction>[] => {
    const all: Column<Interaction>[] = [
      { id: 'to', title: 'To', width: 'minmax(90px, 0.5fr)', cell: (row) => <span title={row.to}>{row.to}</span> },
      { id: 'message', title: 'Asks', width: 'minmax(200px, 2fr)', cell: (row) => <span title={row.message}>{firstLine(row.message)}</span> },
      { id: 'expires', title: 'Expires', width: '124px', cell: (row) => <Left until={row.expires_at} now={now} /> },
      { id: 'function', title: 'Asked by', width: 'minmax(130px, 0.9fr)', look: 'muted', cell: (row) => row.function },
      { id: 'asked', title: 'Since', width: '132px', cell: (row) => <Time at={row.requested_at} /> },
    ];
    return chosen === null ? all : all.slice(0, 3);
  }, [now, chosen]);
  const names = useMemo(() => [...new Set([...folder.documents.filter((row) => row.type === 'interaction').map((row) => row.name), ...(named === '' ? [] : [named])])].toSorted(), [folder.documents, named]);
  const filtered = to !== '' || named !== '';
  const shown = requests.rows.find((row) => row.run_id === chosen) ?? null;
  const [typedTo, setTypedTo] = useState(to);
  useEffect(() => { setTypedTo(to); }, [to]);

  return (
    <div className={page.page}>
      <div className={page.head}>
        <h1>Inbox</h1>
        <div className={page.filters} role="group" aria-label="Filters">
          <form onSubmit={(event) => { event.preventDefault(); adjust({ to: typedTo.trim(), request: null }); }}>
            <input className={cx(partStyles.input, page.filter)} aria-label="To whom" placeholder="To anyone" value={typedTo} spellCheck={false} autoComplete="off" onChange={(event) => setTypedTo(event.target.value)} onBlur={() => { if (typedTo.trim() !== to) adjust({ to: typedTo.trim(), request: null }); }} />
          </form>
          <select className={cx(partStyles.input, page.filter)} aria-label="Function" value={named} onChange={(event) => adjust({ function: event.target.value, request: null })}>
            <option value="">Every function</option>
            {names.map((one) => <option key={one} value={one}>{one}</option>)}
          </select>
          {filtered && <Button look="plain" icon="close" onClick={() => adjust({ to: null, function: null })}>No filter</Button>}
        </div>
        <span className={page.note} role="status">{requests.began ? `${amount(requests.rows.length)}${requests.more ? ' read so far' : requests.rows.length === 1 ? ' waits' : ' wait'}` : ''}</span>
      </div>
      {requests.error !== undefined && requests.rows.length === 0
        ? <Failure title="The inbox cannot be read" error={requests.error} again={requests.again} />
        : !requests.began ? <Loading what="Reading the inbox" />
        : requests.rows.length === 0 && chosen === null
          ? (filtered
            ? <Blank icon="inbox" title="No request fits the filter" actions={<Button onClick={() => adjust({ to: null, function: null })}>Show every request</Button>}>Requests {to === '' ? '' : `to ${to} `}{named === '' ? '' : `by ${named} `}would stand here.</Blank>
            : <Blank icon="inbox" title="Nobody is asked anything">When an interaction function asks somebody, its request stands here until it is answered or expires.</Blank>)
          : (
            <div className={page.split} data-inspector={chosen === null ? 'hidden' : 'shown'} style={{ ['--inspector-width' as string]: `max(${settings.inspector}px, 44%)` }}>
              <div className={page.left}>
                <Table label="Requests" rows={requests.rows} columns={columns} keyOf={(row) => row.run_id} chosen={chosen} open={choose} {...(chosen === null ? {} : { step: choose })} nearEnd={requests.readOn}
                  {...(requests.more ? {} : { total: requests.rows.length })} foot={requests.more ? 'Reading on' : count(requests.rows.length, 'request')} />
              </div>
              {chosen !== null && (
                <>
                  <div className={page.gripCell}><Grip label="Width of the request" grows="before" size={settings.inspector} least={260} most={760} resize={(inspector) => change({ inspector })} /></div>
                  <aside className={page.side} data-region="inspector" aria-label="Request">
                    <Request key={chosen} id={chosen} request={shown} now={now} close={() => adjust({ request: null })} />
                  </aside>
                </>
              )}
            </div>
          )}
    </div>
  );
}
