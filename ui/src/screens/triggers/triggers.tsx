/** What starts workflows on their own: each trigger as a sentence, when it is due next, and what it did not start and why. */

import { useCallback, useMemo, useState } from 'react';
import { useQuery, useRuntime, useStudio } from '../../api/react';
import { paths } from '../../api/studio';
import { wordsOf } from '../../api/transport';
import type { Tried, TriggerRow } from '../../api/workflow';
import { adjust, at, format, useAddress } from '../../app/address';
import { Grip } from '../../app/grip';
import { Icon, type IconName } from '../../app/icons';
import { Band, Blank, Button, Failure, IconButton, Loading, SignMark, Time, Words } from '../../app/parts';
import { change, useSettings } from '../../app/settings';
import { Table, type Column } from '../../list/table';
import page from '../../style/page.module.css';
import type { Sign } from '../../words/state';
import { marked, plain } from '../../words/sentence';
import { amount, count, inTime, shortId, utcTime } from '../../words/time';
import styles from './triggers.module.css';

const TOPICS = ['log', 'folder'];
/** Its rows are worked out from every workflow: a busy log asks for them once in a while. */
const REST_MS = 1500;

const ICONS: Record<TriggerRow['kind'], IconName> = { event: 'bolt', cron: 'clock', every: 'loop' };
const KINDS: Record<TriggerRow['kind'], string> = { event: 'Event', cron: 'Times', every: 'Period' };
const keyOf = (row: TriggerRow): string => `${row.workflow}${row.reference}`;

function signOf(row: TriggerRow): Sign {
  if (row.stopped && row.stopped.length > 0) return { tone: 'bad', word: 'filter stopped', sentence: 'A filter was stopped for good in this version. Save a cheaper one.' };
  if (row.refused) return { tone: 'warn', word: `${amount(row.refused.count)} not started`, sentence: row.refused.reason };
  if (row.running) return { tone: 'busy', word: 'running', sentence: 'A run of it goes on; a time that comes due meanwhile is skipped.' };
  return { tone: 'good', word: 'watching', sentence: 'It applies.' };
}

const COLUMNS: readonly Column<TriggerRow>[] = [
  { id: 'workflow', title: 'Workflow', width: 'minmax(130px, 0.8fr)', cell: (row) => <span title={row.workflow}>{row.workflow}</span> },
  { id: 'kind', title: 'By', width: '92px', cell: (row) => <span className={styles.kind}><Icon name={ICONS[row.kind]} />{KINDS[row.kind]}</span> },
  { id: 'sentence', title: 'Starts', width: 'minmax(220px, 2fr)', cell: (row) => <span title={plain(row.sentence)}>{plain(row.sentence)}</span> },
  { id: 'next', title: 'Next', width: '132px', cell: (row) => (row.next[0] ? <Time at={row.next[0]} /> : '') },
  { id: 'standing', title: 'Stands', width: '140px', cell: (row) => <SignMark sign={signOf(row)} /> },
];

export default function Triggers() {
  const { store } = useRuntime();
  const settings = useSettings();
  const { fields } = useAddress();
  const read = useQuery<TriggerRow[]>(paths.triggers, TOPICS, REST_MS);
  const chosen = fields['trigger'] ?? null;
  const choose = useCallback((row: TriggerRow) => adjust({ trigger: keyOf(row) }), []);
  const rows = useMemo(() => read.value ?? [], [read.value]);
  const shown = rows.find((row) => keyOf(row) === chosen) ?? null;
  return (
    <div className={page.page}>
      <div className={page.head}>
        <h1>Triggers</h1>
        <span className={page.note} role="status">{read.value ? count(rows.length, 'trigger') : ''}</span>
      </div>
      {!read.value
        ? (read.error ? <Failure title="The triggers cannot be read" error={read.error} again={() => void store.refresh(paths.triggers)} /> : <Loading what="Reading the triggers" />)
        : rows.length === 0
          ? <Blank icon="bolt" title="No workflow starts on its own">A workflow with a <code>schedule</code> starts for an event, at times, or at a period. Each such trigger stands here once its workflow is saved.</Blank>
          : (
            <div className={page.split} data-inspector={shown === null ? 'hidden' : 'shown'} style={{ ['--inspector-width' as string]: `${settings.inspector}px` }}>
              <div className={page.left}><Table label="Triggers" rows={rows} columns={shown === null ? COLUMNS : COLUMNS.slice(0, 3)} keyOf={keyOf} chosen={chosen} open={choose} {...(shown === null ? {} : { step: choose })} total={rows.length} /></div>
              {shown !== null && (
                <>
                  <div className={page.gripCell}><Grip label="Width of the inspector" grows="before" size={settings.inspector} least={260} most={760} resize={(inspector) => change({ inspector })} /></div>
                  <aside className={page.side} data-region="inspector" aria-label="Trigger"><Trigger key={keyOf(shown)} trigger={shown} /></aside>
                </>
              )}
            </div>
          )}
    </div>
  );
}

function Trigger({ trigger }: { trigger: TriggerRow }) {
  return (
    <div className={page.scroll}>
      <div className={styles.head}>
        <h2><Icon name={ICONS[trigger.kind]} />{plain(trigger.sentence)}</h2>
        <IconButton small icon="close" label="Close" onClick={() => adjust({ trigger: null })} />
      </div>
      {trigger.refused && <Band tone="warn" role="note"><b>{count(trigger.refused.count, 'run')} not started.</b> {trigger.refused.reason} Last at <Time at={trigger.refused.at} />.</Band>}
      {trigger.stopped?.map((one) => <Band key={one.reference} tone="bad" role="note"><b>A filter was stopped.</b> {one.why} The remedy is a new version with a cheaper filter.</Band>)}
      <section className={page.section}>
        <dl className={page.facts}>
          <dt>Workflow</dt><dd><a href={format(at('document', ['workflow', trigger.workflow]))}>{trigger.workflow}</a>, version {trigger.version}</dd>
          <dt>Applies since</dt><dd><Time at={trigger.since} /></dd>
          {trigger.expression !== undefined && <><dt>Written as</dt><dd><code>{trigger.expression}</code></dd></>}
          {trigger.running && <><dt>Runs now</dt><dd><a href={format(at('run', [trigger.running]))}>run {shortId(trigger.running)}</a>. A time that comes due meanwhile is skipped.</dd></>}
          <dt>Its runs</dt><dd><a href={format(at('runs', [], { type: 'workflow', name: trigger.workflow }))}>all runs of the workflow</a></dd>
        </dl>
      </section>
      {trigger.next.length > 0 && (
        <section className={page.section}>
          <h2>Next</h2>
          <table className={styles.times}>
            <thead><tr><th scope="col">Local</th><th scope="col">UTC</th><th scope="col"><span className="visually-hidden">From now</span></th></tr></thead>
            <tbody>{trigger.next.map((time) => <tr key={time}><td><Time at={time} /></td><td>{utcTime(time).replace(/\.\d+/, '')}</td><td>{inTime(time)}</td></tr>)}</tbody>
          </table>
        </section>
      )}
      {trigger.kind === 'event' && <Filters trigger={trigger} />}
    </div>
  );
}

function Filters({ trigger }: { trigger: TriggerRow }) {
  const studio = useStudio();
  const [tried, setTried] = useState<{ filters: Tried[] } | { error: unknown } | 'busy' | null>(null);
  const run = async () => {
    setTried('busy');
    try { setTried(await studio.tryTrigger(trigger.workflow)); } catch (error) { setTried({ error }); }
  };
  return (
    <section className={page.section}>
      <h2>Filters</h2>
      <ul className={styles.filters}>{trigger.filters?.map((filter, index) => <li key={index}><Words text={marked(filter.sentence)} /></li>)}</ul>
      <p className={styles.try}><Button icon="search" onClick={() => void run()} disabled={tried === 'busy'}>What would it have matched?</Button><span className={page.note}>Over the last 1,000 events; it starts nothing.</span></p>
      <div role="status">
        {tried === 'busy' && <Loading what="Trying the filters" />}
        {tried !== null && tried !== 'busy' && 'error' in tried && <Band tone="bad" role="note" inset>{wordsOf(tried.error)}</Band>}
        {tried !== null && tried !== 'busy' && 'filters' in tried && tried.filters.map((one) => <Result key={one.reference} tried={one} />)}
      </div>
    </section>
  );
}

const FIRST = 12;

function Result({ tried }: { tried: Tried }) {
  const { matched, missed, examined } = tried;
  return (
    <div className={styles.result}>
      <p><b>{matched.length === 0 ? 'None' : amount(matched.length)} of {count(examined, 'event')}</b>{tried.sentence === undefined ? null : <>: <Words text={marked(tried.sentence)} /></>}</p>
      {matched.length > 0 && <ul>{matched.slice(0, FIRST).map((event) => <li key={event.id}><Time at={event.time} /> <code>{event.source}</code></li>)}{matched.length > FIRST && <li>and {amount(matched.length - FIRST)} more</li>}</ul>}
      {missed.length > 0 && <><p className={styles.missed}>Missed:</p><ul>{missed.map((miss) => <li key={miss.why}>{count(miss.count, 'event')}: {miss.why}</li>)}</ul></>}
    </div>
  );
}
