/** Every record of the playbook, newest first and live; one of them whole beside. */

import { useCallback, useEffect, useState } from 'react';
import { useQuery, useStudio } from '../../api/react';
import { paths } from '../../api/studio';
import type { HistoryRow, Json } from '../../api/types';
import { adjust, at, format, useAddress } from '../../app/address';
import { Grip } from '../../app/grip';
import { Id } from '../../app/id';
import { Band, Blank, Button, Failure, IconButton, Loading, Time, cx, partStyles } from '../../app/parts';
import { change, useSettings } from '../../app/settings';
import { useWorkspace } from '../../app/workspace';
import { isObject } from '../../data/json';
import { JsonTree } from '../../data/tree';
import { wordsOf } from '../../api/transport';
import { Table, type Column } from '../../list/table';
import { usePages } from '../../list/use-pages';
import page from '../../style/page.module.css';
import { actor } from '../../words/state';
import { amount, count } from '../../words/time';

const text = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null);

function definitionOf(row: HistoryRow): { type: string; name: string; version: number | null } | null {
  const given = row.metadata['definition'];
  if (!isObject(given)) return null;
  const type = text(given['type']);
  const name = text(given['name']);
  return type && name ? { type, name, version: typeof given['version'] === 'number' ? given['version'] : null } : null;
}

const COLUMNS: readonly Column<HistoryRow>[] = [
  { id: 'at', title: 'When', width: '132px', cell: (row) => <Time at={text(row.metadata['at'])} /> },
  { id: 'type', title: 'Record', width: '160px', cell: (row) => <code>{row.type}</code> },
  { id: 'summary', title: 'What happened', width: 'minmax(220px, 2fr)', cell: (row) => <span title={row.summary}>{row.summary}</span> },
  { id: 'definition', title: 'Definition', width: 'minmax(120px, 0.8fr)', look: 'muted', cell: (row) => definitionOf(row)?.name ?? '' },
  { id: 'by', title: 'By', width: 'minmax(90px, 0.6fr)', look: 'muted', cell: (row) => actor(text(row.metadata['by']) ?? '') },
];

const KNOWN_TYPES = ['run_started', 'run_succeeded', 'run_rejected', 'run_failed', 'event_published', 'definition_created', 'definition_updated', 'definition_retired'] as const;

export default function Feed() {
  const { folder } = useWorkspace();
  const studio = useStudio();
  const settings = useSettings();
  const { fields } = useAddress();
  const type = fields['type'] ?? '';
  const chosen = fields['at'] ?? null;
  const [top, setTop] = useState(true);
  const playbook = folder.playbook.id;

  const feed = usePages<HistoryRow>(`${playbook}|${type}`, async (cursor, limit, signal) => {
    const answer = await studio.events(playbook, { type, limit, cursor, order: 'desc' }, signal);
    return { rows: answer.events, next: answer.has_more ? answer.next_cursor : null };
  }, (row) => row.id);

  // New rows come in by themselves only while the top is in sight and nothing is being read.
  useEffect(() => { if (top && chosen === null && feed.gathered.length > 0) feed.show(); }, [top, chosen, feed]);
  const choose = useCallback((row: HistoryRow) => adjust({ at: row.id }), []);

  return (
    <div className={page.page}>
      <div className={page.head}>
        <h1>Feed</h1>
        <div className={page.filters} role="group" aria-label="Filters">
          <select className={cx(partStyles.input, page.filter)} aria-label="Type of record" value={type} onChange={(event) => adjust({ type: event.target.value })}>
            <option value="">Every record</option>
            {KNOWN_TYPES.map((one) => <option key={one} value={one}>{one}</option>)}
            {type !== '' && !KNOWN_TYPES.some((one) => one === type) && <option value={type}>{type}</option>}
          </select>
          {type !== '' && <Button look="plain" icon="close" onClick={() => adjust({ type: null })}>No filter</Button>}
        </div>
        <span className={page.note} role="status">{feed.began ? `${amount(feed.rows.length)} ${feed.next !== null ? 'read so far' : 'in all'}` : ''}</span>
      </div>
      {feed.error !== undefined && feed.rows.length === 0
        ? <Failure title="The feed cannot be read" error={feed.error} again={feed.again} />
        : !feed.began ? <Loading what="Reading the feed" />
        : feed.rows.length === 0 && feed.next === null
          ? <Blank icon="feed" title={type === '' ? 'Nothing is recorded yet' : `No ${type} is recorded`} actions={type === '' ? undefined : <Button onClick={() => adjust({ type: null })}>Show every record</Button>}>Saving a definition, running one and publishing an event are each recorded here.</Blank>
          : (
            <div className={page.split} data-inspector={chosen === null ? 'hidden' : 'shown'} style={{ ['--inspector-width' as string]: `${settings.inspector}px` }}>
              <div className={page.left}>
                <Table label="Feed" rows={feed.rows} columns={chosen === null ? COLUMNS : COLUMNS.slice(0, 3)} keyOf={(row) => row.id} chosen={chosen} open={choose} {...(chosen === null ? {} : { step: choose })}
                  nearEnd={feed.more} onTop={setTop} {...(feed.next === null ? { total: feed.rows.length } : {})}
                  news={feed.gathered.length > 0 ? { count: feed.gathered.length, show: feed.show } : undefined}
                  foot={feed.error !== undefined ? <>Reading on failed. <Button onClick={feed.again}>Read again</Button></> : feed.next !== null ? 'Reading on' : `${count(feed.rows.length, 'record')}, from the first`} />
              </div>
              {chosen !== null && (
                <>
                  <div className={page.gripCell}><Grip label="Width of the inspector" grows="before" size={settings.inspector} least={260} most={760} resize={(inspector) => change({ inspector })} /></div>
                  <aside className={page.side} data-region="inspector" aria-label="Record"><Inspector key={chosen} id={chosen} row={feed.rows.find((one) => one.id === chosen)} /></aside>
                </>
              )}
            </div>
          )}
    </div>
  );
}

function Inspector({ id, row }: { id: string; row: HistoryRow | undefined }) {
  const { folder } = useWorkspace();
  const whole = useQuery<HistoryRow>(paths.event(folder.playbook.id, id));
  const shown = whole.value ?? row;
  if (!shown) return whole.error ? <Failure title="The record cannot be read" error={whole.error} /> : <Loading what="Reading the record" />;
  const { metadata } = shown;
  const definition = definitionOf(shown);
  const run = text(metadata['run_id']);
  const cause = text(metadata['causation_id']);
  return (
    <>
      <div className={page.head}><h1><code>{shown.type}</code></h1><div className={page.end}><IconButton small icon="close" label="Close the record" onClick={() => adjust({ at: null })} /></div></div>
      <div className={page.section}>
        <p style={{ marginBottom: 10 }}>{shown.summary}</p>
        <dl className={page.facts}>
          <dt>When</dt><dd><Time at={text(metadata['at'])} /></dd>
          <dt>By</dt><dd>{actor(text(metadata['by']) ?? '')}</dd>
          {definition && <><dt>Definition</dt><dd><a href={format(at('document', [definition.type, definition.name]))}>{definition.type}/{definition.name}</a>{definition.version === null ? '' : `, version ${definition.version}`}</dd></>}
          {run && <><dt>Run</dt><dd><a href={format(at('run', [run]))}><code>{run}</code></a></dd></>}
          {cause && <><dt>Caused by</dt><dd><a href={format(at('feed', [], { at: cause }))}><code>{cause}</code></a></dd></>}
          <dt>Record</dt><dd><Id id={shown.id} what="record" whole /></dd>
        </dl>
      </div>
      {whole.error !== undefined && <Band tone="warn">Only the row of the list is shown. {wordsOf(whole.error)}</Band>}
      <div className={page.fill} style={{ borderTop: '1px solid var(--line)' }}>
        {shown.data === null || (isObject(shown.data) && Object.keys(shown.data).length === 0) ? <Blank title="It holds no data" /> : <JsonTree value={shown.data} label="Data of the record" />}
      </div>
    </>
  );
}
