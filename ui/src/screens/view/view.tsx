/** One view: how it stands, what it holds, asking it, and the bench when it stalled. */

import { Suspense, lazy, useEffect, useMemo, useRef, useState } from 'react';
import { useQuery, useRuntime } from '../../api/react';
import { paths, topics } from '../../api/studio';
import type { DocumentText, Json, Standing, ViewAnswer } from '../../api/types';
import { adjust, at, format, useAddress } from '../../app/address';
import { Band, Blank, Button, Failure, Loading, Meter, SignMark, TabPanel, Tabs } from '../../app/parts';
import { useDraft, useWorkspace } from '../../app/workspace';
import { differences } from '../../data/json';
import { JsonTree } from '../../data/tree';
import { RunIt } from '../../run/run-it';
import page from '../../style/page.module.css';
import { rowStandingSign, standingSentence } from '../../words/state';
import { amount, count } from '../../words/time';
import { differencesWords, speedWords } from '../../words/view';
import { useTrials } from './rehearsal';
import { FilterList, FilterRows } from './filters';
import styles from './view.module.css';

const Bench = lazy(() => import('./bench'));
const Scrub = lazy(() => import('./scrub'));

/** A view may be half a megabyte: how often it is read at most. */
const VIEW_REST_MS = 300;
/** While a view is built, how often its standing is read, beside what the changes say. */
const WATCH_MS = 800;

type Tab = 'view' | 'ask' | 'scrub' | 'filters' | 'bench';

export default function View({ name }: { name: string }) {
  const { store } = useRuntime();
  const { drafts } = useWorkspace();
  const path = paths.view(name);
  const answer = useQuery<ViewAnswer>(path, topics.views, VIEW_REST_MS);
  const document = useQuery<DocumentText>(paths.document('recall', name), topics.documents);
  const known = answer.value;
  const counting = known?.stalled?.counting === true || known?.filters.some((filter) => filter.counting) === true;
  const building = known?.standing.state === 'rebuilding' || known?.standing.state === 'waiting' || counting;

  useEffect(() => { if (document.value) drafts.read(document.value); }, [document.value, drafts]);
  useEffect(() => {
    if (!building) return;
    const timer = setInterval(() => void store.refresh(path), WATCH_MS);
    return () => clearInterval(timer);
  }, [building, store, path]);

  if (!answer.value) {
    return answer.error
      ? <Failure title={`There is no view of ${name}`} error={answer.error} again={() => void store.refresh(path)} />
      : <Loading what="Reading the view" />;
  }
  return <Shown name={name} answer={answer.value} document={document.value} />;
}

function Shown({ name, answer, document }: { name: string; answer: ViewAnswer; document: DocumentText | undefined }) {
  const { fields } = useAddress();
  const draft = useDraft(`recall/${name}`);
  const { standing, stalled } = answer;
  // The bench stays while the rebuild it began is watched.
  const [watched, setWatched] = useState<number | null>(null);
  const trials = useTrials(name, stalled ? `${standing.version} ${String(stalled.event['id'])}` : null);
  const hasBench = stalled !== undefined;
  const hasScrub = standing.folded > 0;
  const asked = (['view', 'ask', 'scrub', 'filters', 'bench'] as const).find((one) => one === fields['show']);
  const tab: Tab = (asked === 'bench' && !hasBench) || (asked === 'scrub' && !hasScrub) ? 'view' : asked ?? (hasBench ? 'bench' : 'view');
  const mended = watched !== null && standing.state === 'live' && standing.version >= watched;

  return (
    <div className={page.page}>
      <header className={styles.head}>
        <div className={styles.line}>
          <h1>{name}</h1>
          <SignMark look="chip" sign={rowStandingSign({ state: standing.state, folded: standing.folded, lag_ms: standing.lag_ms, ...(standing.stalled ? { kind: standing.stalled.kind } : {}) })} />
          <a href={format(at('document', ['recall', name]))}>version {standing.version}</a>
        </div>
        <p className={styles.sentence} role="status">{standingSentence(standing)}</p>
        <div className={styles.meterCell}>
          <Meter label="Size of the view" value={answer.view_bytes} most={answer.view_bytes_most} words={`${amount(answer.view_bytes)} of ${amount(answer.view_bytes_most)} bytes`} />
        </div>
      </header>
      {(standing.state === 'rebuilding' || standing.state === 'waiting') && <Progress standing={standing} />}
      {mended && <Band tone="good">Live again with version {standing.version}: {count(standing.folded, 'event')} folded from the first.</Band>}
      <Tabs label="The view" idBase="view" chosen={tab} choose={(next) => adjust({ show: next })} tabs={[
        ...(hasBench ? [{ id: 'bench', title: 'Repair bench', tone: 'bad' as const }] : []),
        { id: 'view', title: hasBench ? 'View before the stall' : 'View' }, { id: 'ask', title: 'Ask' },
        ...(hasScrub ? [{ id: 'scrub', title: 'Scrub' }] : []), { id: 'filters', title: 'Filters', note: answer.filters.length },
      ]} />
      <TabPanel idBase="view" chosen={tab} className={page.fill}>
        {tab === 'bench' && stalled && (draft && document
          ? (
            <Suspense fallback={<Loading what="Opening the bench" />}>
              <Bench draft={draft} document={document} stall={stalled} version={standing.version} folded={standing.folded} most={answer.view_bytes_most} trials={trials} watch={setWatched} />
            </Suspense>
          )
          : <Loading what="Reading the document" />)}
        {tab === 'view' && <Held answer={answer} name={name} mended={mended} />}
        {tab === 'ask' && (
          <div className={styles.ask}>
            {document && draft
              ? <RunIt type="recall" name={name} verb="Ask" schema={(draft.lastGood ?? draft.check).input_schema} version={document.version} unsaved={draft.text !== document.saved_text} screen={() => (draft.text === document.saved_text ? null : draft.text)} />
              : <Loading what="Reading the document" />}
          </div>
        )}
        {tab === 'scrub' && <Suspense fallback={<Loading what="Opening" />}><Scrub name={name} version={standing.version} /></Suspense>}
        {tab === 'filters' && <FilterList filters={answer.filters} folded={standing.folded} />}
      </TabPanel>
    </div>
  );
}

function Progress({ standing }: { standing: Standing }) {
  // How fast it goes is seen from here: the first standing of the build that was seen is its beginning.
  const begun = useRef({ version: standing.version, folded: standing.folded, at: performance.now() });
  if (begun.current.version !== standing.version || standing.folded < begun.current.folded) begun.current = { version: standing.version, folded: standing.folded, at: performance.now() };
  const { folded, at } = begun.current;
  if (!standing.known) return null;
  const speed = speedWords(standing.folded - folded, standing.known - folded, performance.now() - at);
  return (
    <div className={styles.progress}>
      <Meter label="Folded" value={standing.folded} most={standing.known} words={`${amount(standing.folded)} of ${count(standing.known, 'event')}${speed === '' ? '' : `, ${speed}`}`} />
    </div>
  );
}

function Held({ answer, name, mended }: { answer: ViewAnswer; name: string; mended: boolean }) {
  const { standing, view, replaced } = answer;
  if (standing.state === 'waiting') return <Blank icon="view" title="It waits for its turn">At most four views are built at once. The others are built in the order they were saved.</Blank>;
  if (standing.state === 'rebuilding' && view === null) return <Blank icon="view" title="It is being built">What it holds is shown once it has caught up.</Blank>;
  if (standing.folded === 0 && standing.state === 'live') {
    return (
      <div className={styles.filters}>
        <Band tone="info" inset role="note"><b>No event matched yet.</b> The view is what <code>view.initial</code> says. {name} takes:</Band>
        <FilterRows filters={answer.filters} folded={0} />
      </div>
    );
  }
  if (replaced && standing.state === 'live') return <Against name={name} view={view} replaced={replaced} first={mended} />;
  return <JsonTree value={view} label={`View of ${name}`} />;
}

/** The view beside the one of the version before, as that stood when it was replaced. */
function Against({ name, view, replaced, first }: { name: string; view: Json; replaced: NonNullable<ViewAnswer['replaced']>; first: boolean }) {
  const [against, setAgainst] = useState(first);
  const found = useMemo(() => (against ? differences(view, replaced.view) : null), [against, view, replaced.view]);
  return (
    <div className={styles.against}>
      <div className={styles.againstBar}>
        <Button aria-pressed={against} icon="diff" onClick={() => setAgainst(!against)}>{against ? 'Show the view alone' : `Compare with version ${replaced.version}`}</Button>
        {found && <span role="status">Against version {replaced.version}, as it stood when it was replaced: {differencesWords(found)}.</span>}
      </div>
      {against
        ? <JsonTree key="against" value={view} before={replaced.view} reveal label={`View of ${name}, against version ${replaced.version}`} />
        : <JsonTree key="alone" value={view} label={`View of ${name}`} />}
    </div>
  );
}
