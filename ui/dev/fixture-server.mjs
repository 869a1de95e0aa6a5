// FIXTURE SERVER: a stand-in with made-up data, for looking at screens while no runtime is built.
// It judges nothing and runs nothing for real; it is never shipped and no test of behaviour uses it.
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { texts, workflowAnswer, workflowCheck, workflowRuns } from './workflows.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const dist = join(here, '..', 'dist');
const text = (name) => readFileSync(join(here, 'texts', `${name}.md`), 'utf8');
const hash = (value) => createHash('sha256').update(value).digest('hex').slice(0, 16);
const ago = (ms) => new Date(Date.now() - ms).toISOString();

const docs = new Map();
const add = (type, name, source, given = {}) =>
  docs.set(`${type}/${name}`, { type, name, text: source, saved: source, version: 1, state: 'saved', ...given });
add('recall', 'campaign-reviews', text('campaign-reviews'), { version: 3 });
add('recall', 'visit-counts', text('visit-counts'), { version: 1 });
add('computation', 'review-brief', text('review-brief'), { version: 4 });
add('computation', 'tally-verdicts', text('review-brief').replace('export default', 'export function f() { return open.lenght }\n\nexport default'), { version: 2, saved: text('review-brief') });
add('computation', 'price-in-cents', text('review-brief').replace('Checks a campaign', 'Prices a campaign'), { saved: null, version: null, state: 'draft' });
add('computation', 'old-scoring', text('review-brief'), { version: 7, state: 'retired' });
for (const [name, source] of Object.entries(texts)) add('workflow', name, source, { version: 2 });

const standings = {
  'campaign-reviews': { state: 'live', version: 3, checkpoint: 'WyJyIiwxODIwNF0', checkpoint_at: ago(3000), last_event: { id: randomUUID(), time: ago(64000) }, folded: 18204, lag_ms: 3000, newest_record_at: ago(0) },
  'visit-counts': { state: 'stalled', version: 1, checkpoint: 'WyJyIiw5MTJd', checkpoint_at: ago(7200000), last_event: { id: randomUUID(), time: ago(7205000) }, folded: 911, lag_ms: 7200000, newest_record_at: ago(0), stalled: { event: { id: '0199a3c4-7d2e-7c1a-9b3f-2f1e0d9c8b99', type: 'page_visited', time: ago(7200000) }, kind: 'raised', error: "TypeError: cannot read property 'toLowerCase' of undefined", line: 13 } },
};
if (process.env.FIXTURE_REBUILDING) Object.assign(standings['campaign-reviews'], { state: 'rebuilding', folded: 4211, known: 18204, lag_ms: 64000 });

function check(type, source, name) {
  const problems = [];
  const place = (index, length, pointer) => {
    const before = source.slice(0, index).split('\n');
    const line = before.length;
    const column = before.at(-1).length + 1;
    const span = { start: Buffer.byteLength(source.slice(0, index)), end: Buffer.byteLength(source.slice(0, index + length)) };
    return { span, line, column, end_line: line, end_column: column + length, ...(pointer ? { pointer } : {}) };
  };
  for (const found of source.matchAll(/\.lenght\b/g)) {
    const at = place(found.index + 1, 6);
    problems.push({ code: 'typescript.2551', severity: 'error', place: at, message: "Property 'lenght' does not exist on type 'string[]'. Did you mean 'length'?", hint: 'Write length.', fix: { title: 'Write length', edits: [{ span: at.span, from: { line: at.line, column: at.column }, to: { line: at.line, column: at.end_column }, text: 'length' }] } });
  }
  for (const found of source.matchAll(/^(model|tools):/gm)) problems.push({ code: `${type}.unknown_field`, severity: 'error', place: place(found.index, found[1].length, `/${found[1]}`), message: `Unknown field ${found[1]}.`, hint: 'A document of this type has description, language, source, view, input and output.' });
  for (const found of source.matchAll(/counts\[page[^\]]*\]/g)) problems.push({ code: 'recall.inherited', severity: 'warning', place: place(found.index, found[0].length), message: 'The key comes from an event and may name what every object inherits, such as constructor.', hint: 'Read it only when Object.hasOwn(counts, page) holds.' });
  const bytes = Buffer.byteLength(source);
  const recall = type === 'recall';
  const description = /^description: (.*)$/m.exec(source)?.[1] ?? null;
  return {
    judged: process.env.FIXTURE_NO_COMPILER ? 'no' : 'yes',
    ...(process.env.FIXTURE_NO_COMPILER ? { not_judged: 'The TypeScript compiler is not here. Install it with “npm install typescript@7.0.2” beside the program, then check again.' } : {}),
    problems: problems.sort((a, b) => a.place.span.start - b.place.span.start),
    description,
    input_schema: recall ? { type: 'object', required: ['campaign'], properties: { campaign: { type: 'string' }, last: { type: 'integer', minimum: 1, maximum: 50 } } } : {
      type: 'object', required: ['campaign', 'brief'],
      properties: {
        campaign: { type: 'string', minLength: 1, maxLength: 100, description: 'The campaign the brief is for' },
        brief: { type: 'object', required: ['audience', 'goal'], properties: {
          audience: { type: 'string', description: 'Who it is meant to reach' }, goal: { type: 'string', description: 'What it should change' },
          budget: { type: 'number', minimum: 0, description: 'In whole euros' },
          channels: { type: 'array', items: { type: 'string', enum: ['mail', 'web', 'radio', 'print'] }, maxItems: 4 }, notes: { type: 'string' } } },
        strict: { type: 'boolean', description: 'Refuse when any criterion is open' },
      } },
    output_schema: { type: 'object', required: ['campaign', 'verdict'], properties: { campaign: { type: 'string' }, verdict: { type: 'string' } } },
    view_schema: recall ? { type: 'object', maxProperties: 50, additionalProperties: { type: 'array', maxItems: 20 } } : null,
    declarations: 'type Json = null | boolean | number | string | Json[] | { [key: string]: Json };\n\ntype Input = {\n  campaign: string;\n  brief: {\n    audience: string;\n    goal: string;\n    budget?: number;\n    channels?: ("mail" | "web" | "radio" | "print")[];\n    notes?: string;\n  };\n  strict?: boolean;\n};\n\ntype Output = {\n  campaign: string;\n  verdict: string;\n};\n',
    overview_markdown: null,
    overview_html: recall
      ? `<p>${description}</p><h2>What it remembers</h2><ul><li>each time a run of the reasoning function <strong>review-brief</strong> succeeds</li></ul><h2>What it keeps</h2><p>An object of at most 50 members, each a list of at most 20 items:</p><ul><li><strong>at</strong>: text</li><li><strong>verdict</strong>: text</li><li><strong>run</strong>: text</li></ul><h2>What it answers</h2><p>It takes:</p><ul><li><strong>campaign</strong>: text, required</li><li><strong>last</strong>: a whole number from 1 to 50</li></ul><p>It answers a list of:</p><ul><li><strong>at</strong>: text</li><li><strong>verdict</strong>: text</li></ul><h2>How the view is kept</h2><pre class="mermaid-source">flowchart TB\n  e1["A run of reasoning/review-brief succeeds"] --> v["The view of campaign-reviews"]\n  v --> a["The answer to a run"]</pre><p>The program is TypeScript and is shown under Source.</p><h2>Used by</h2><ul><li>the workflow <strong>decide-on-campaign</strong></li></ul>`
      : `<p>${description}</p><h2>What it needs</h2><ul><li><strong>campaign</strong>: text of 1 to 100 characters, required. The campaign the brief is for</li><li><strong>brief</strong>: an object, required<ul><li><strong>audience</strong>: text. Who it is meant to reach</li><li><strong>budget</strong>: a number of at least 0. In whole euros</li></ul></li></ul><h2>What it gives</h2><ul><li><strong>campaign</strong>: text</li><li><strong>verdict</strong>: text</li></ul><pre class="mermaid-source">flowchart TB\n  i["The input"] --> p["review-brief"]\n  p --> o["The output: campaign and verdict"]</pre><p>The program is TypeScript and is shown under Source.</p>`,
    ...(type === 'workflow' ? { workflow: workflowCheck(name, source), declarations: null } : {}),
    bytes, bytes_most: 65536,
    largest_view: recall ? (source.includes('page_visited') ? { bytes: null, unbounded: 'the keys of the view, which has no schema' } : { bytes: 488251, dominates: '50 campaigns of 20 reviews' }) : null,
  };
}
const errors = (found) => found.problems.filter((one) => one.severity === 'error').length;
const stateOf = (doc) => doc.state === 'retired' ? 'retired' : errors(check(doc.type, doc.text)) > 0 ? 'problems' : doc.text === doc.saved ? 'saved' : 'draft';
const row = (doc) => {
  const found = check(doc.type, doc.text, doc.name);
  const standing = doc.type === 'recall' ? standings[doc.name] : null;
  return { type: doc.type, name: doc.name, path: `${doc.type}/${doc.name}.${doc.type === 'workflow' ? 'yaml' : 'md'}`, state: stateOf(doc), version: doc.version, problems: errors(found), warnings: found.problems.length - errors(found), description: found.description,
    standing: standing ? { state: standing.state, folded: standing.folded, lag_ms: standing.lag_ms, ...(standing.stalled ? { kind: standing.stalled.kind } : {}) } : null };
};
const document = (doc) => ({ type: doc.type, name: doc.name, path: `${doc.type}/${doc.name}.${doc.type === 'workflow' ? 'yaml' : 'md'}`, text: doc.text, base: hash(doc.text), state: stateOf(doc), version: doc.version, saved_text: doc.saved, author_overview: null, author_diagram: null, check: check(doc.type, doc.text, doc.name) });
const path = '/home/ana/playbooks/campaign-reviews';
let open = !process.env.FIXTURE_CLOSED;
const folder = () => ({ path, playbook: { id: 'campaign-reviews', name: 'Campaign reviews', description: 'Reviews campaign briefs' }, documents: [...docs.values()].map(row), problems: [], unpublished: 3 });

const verdicts = ['approve', 'reject: the budget is not stated', 'approve', 'reject: no channel is chosen'];
const campaigns = ['spring-sale', 'autumn-launch', 'winter-fair', 'constructor', 'loyalty-2026'];
const runs = Array.from({ length: 1200 }, (_, index) => {
  const status = index % 17 === 5 ? 'rejected' : index % 211 === 90 ? 'failed' : 'succeeded';
  const started = Date.now() - index * 97000 - 20000;
  const recall = index % 4 === 3;
  return {
    run_id: `0199a3c4-7d2e-7c1a-9b3f-${(0x2f1e0d9c8b71 - index * 7919).toString(16).padStart(12, '0')}`,
    type: recall ? 'recall' : 'computation', name: recall ? 'campaign-reviews' : 'review-brief', definition_version: 4 - (index > 400 ? 1 : 0), status,
    started_at: new Date(started).toISOString(), started_by: index % 9 === 0 ? 'playbook:campaign-reviews' : 'local', finished_at: new Date(started + 3 + (index * 13) % 240).toISOString(),
    ...(status === 'succeeded' ? { output: { campaign: campaigns[index % 5], verdict: verdicts[index % 4] }, record: { language: 'typescript', work: 0, duration_ms: 3 + (index * 13) % 240, input_bytes: 214, output_bytes: 51 } } : {}),
    ...(status === 'rejected' ? { rejection: { reason: index % 2 ? 'conflict' : 'invalid_input', detail: index % 2 ? 'The answer raised an error on line 53: Error: no such campaign' : 'The input does not match the input schema.', ...(index % 2 ? { kind: 'unworkable' } : { issues: [{ detail: 'Must have the property audience.', pointer: '/brief' }, { detail: 'Must be a number.', pointer: '/brief/budget' }] }) } } : {}),
  };
});
runs.unshift(...workflowRuns);
const history = [];
for (const run of runs) {
  const metadata = (at, cause) => ({ stream: `runs/${run.run_id}`, position: 1, global_position: 40000 - history.length, correlation_id: run.run_id, causation_id: cause, at, by: run.started_by, run_id: run.run_id, definition: { type: run.type, name: run.name, version: run.definition_version } });
  history.push({ id: `${run.run_id.slice(0, -1)}b`, type: `run_${run.status}`, summary: run.status === 'succeeded' ? `The ${run.type} function ${run.name} succeeded.` : run.status === 'rejected' ? `The ${run.type} function ${run.name} was refused: the input does not fit.` : `The ${run.type} function ${run.name} failed.`, data: run.output ? { output: run.output, record: run.record } : (run.rejection ?? {}), metadata: metadata(run.finished_at, `${run.run_id.slice(0, -1)}a`) });
  history.push({ id: `${run.run_id.slice(0, -1)}a`, type: 'run_started', summary: `A run of the ${run.type} function ${run.name} started.`, data: { input: { campaign: 'spring-sale', brief: { audience: 'Families', goal: 'Visits' } } }, metadata: metadata(run.started_at, null) });
  if (history.length % 30 === 0) history.push({ id: randomUUID(), type: 'event_published', summary: 'An event of the type page_visited was published.', data: { event_id: 'v-1', event_type: 'page_visited', source: '/site', data: { page: '/Offers' } }, metadata: { stream: 'events', position: 1, global_position: 40000 - history.length, correlation_id: null, causation_id: null, at: run.started_at, by: 'local' } });
}

const viewOf = () => Object.fromEntries(campaigns.map((name, n) => [name, Array.from({ length: 20 - n * 3 }, (_, i) => ({ at: ago(i * 9e6 + n * 1e6), verdict: verdicts[(i + n) % 4], run: `/runs/${runs[i * 5 + n].run_id}` }))]));
// A made-up history of a view: what it held after each of its events, and how large that was.
const FOLDED = Number(process.env.FIXTURE_EVENTS ?? 18204);
const begun = Date.now();
const sizeOf = (at) => Math.round(2 + 190_000 * Math.log1p(at / 900) / Math.log1p(FOLDED / 900) + 9000 * Math.sin(at / 700) + (at % 1700 < 40 ? -14000 : 0) + Math.min(at, 5000));
const scrubEvent = (at) => ({ specversion: '1.0', id: `0199a3c4-7d2e-7c1a-9b3f-${at.toString(16).padStart(12, '0')}`, type: 'run_succeeded', source: `/runs/0199a3c4-7d2e-7c1a-9b3f-2f1e0d9c8b71`, subject: 'reasoning/review-brief', time: ago((FOLDED - at) * 60_000), data: { output: { campaign: campaigns[at % 5], verdict: verdicts[at % 4], criteria: [{ name: 'audience', finding: 'stated' }, { name: 'budget', finding: at % 3 ? 'stated' : 'missing' }] } } });
const bigAt = (at) => Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`campaign-${n}`, Array.from({ length: 100 }, (_, i) => ({ at: ago(i * 9e6), verdict: verdicts[(i + n + (n === at % 50 && i === 99 ? at : 0)) % 4], run: `/runs/${n}-${i}-${n === at % 50 && i > 97 ? at : 0}`.padEnd(40, 'x') }))]));
const viewAt = (at) => process.env.FIXTURE_BIG ? bigAt(at) : Object.fromEntries(campaigns.slice(0, Math.min(5, at)).map((name, n) => [name, Array.from({ length: Math.min(20, Math.ceil((at - n) / 5)) }, (_, i) => ({ at: ago((FOLDED - at + i * 5 + n) * 60_000), verdict: verdicts[(i + n + (i === 0 ? at : 0)) % 4], run: `/runs/${runs[i * 5 + n].run_id}` })).toReversed()]));
const sizesTo = (end) => Array.from({ length: Math.min(400, end + 1) }, (_, i, all = Math.min(400, end + 1)) => { const at = Math.round((i / Math.max(1, all - 1)) * end); return [at, Math.max(2, sizeOf(at))]; });
const rehearsals = new Map();
const plan = () => ({
  id: 'p1', server: 's1', read_at: ago(2000), playbook: { exists: true, name: 'Campaign reviews' },
  items: [
    { type: 'computation', name: 'price-in-cents', state: 'new', action: 'publish', version_there: null, by_there: null, at_there: null, mine: text('review-brief'), base: null, theirs: null, effects: [] },
    { type: 'recall', name: 'campaign-reviews', state: 'changed_here', action: 'publish', version_there: 2, by_there: 'ana', at_there: ago(9e7), mine: text('campaign-reviews'), base: text('campaign-reviews').replace('.slice(-20)', '.slice(-10)'), theirs: text('campaign-reviews').replace('.slice(-20)', '.slice(-10)'), effects: ['The view is rebuilt from the first event; runs are refused meanwhile.'] },
    { type: 'computation', name: 'review-brief', state: 'changed_both', action: 'stop', version_there: 7, by_there: 'ana', at_there: ago(36e5), mine: text('review-brief').replace('approve', 'approved'), base: text('review-brief'), theirs: text('review-brief').replace('the goal is not stated', 'no goal is stated').replace('maxItems: 4', 'maxItems: 3'), effects: [] },
    { type: 'computation', name: 'tally-verdicts', state: 'blocked', action: 'nothing', version_there: 1, by_there: 'ana', at_there: ago(9e8), mine: null, base: null, theirs: text('review-brief'), effects: [], blocked: 'The file has 1 problem. Mend it and make the plan again.' },
    { type: 'recall', name: 'visit-counts', state: 'changed_there', action: 'pull', version_there: 5, by_there: 'ben', at_there: ago(864e5), mine: text('visit-counts'), base: text('visit-counts'), theirs: text('visit-counts').replace('+ 1', '+ 2'), effects: ['The view here is rebuilt from the first event.'] },
    { type: 'computation', name: 'old-scoring', state: 'retired_there', action: 'nothing', version_there: 7, by_there: 'ben', at_there: ago(864e6), mine: null, base: null, theirs: null, effects: [] },
    { type: 'computation', name: 'seasons', state: 'gone_here', action: 'nothing', version_there: 2, by_there: 'ben', at_there: ago(864e6), mine: null, base: null, theirs: text('review-brief'), effects: [] },
  ],
});

let seq = 1;
const waiting = new Set();
const changed = (...topics) => { seq += 1; for (const wake of [...waiting]) wake(topics.map((topic) => ({ topic }))); };
const problem = (status, detail, more = {}) => ({ status, body: { type: 'about:blank', title: 'Refused', status, detail, reason: 'conflict', ...more } });
const ok = (body) => ({ status: 200, body });
const servers = [{ id: 's1', name: 'Team server', origin: 'http://127.0.0.1:4555', org: 'acme', playbook: 'campaign-reviews', key: 'keychain' }];

async function answer(method, url, body) {
  const parts = url.pathname.split('/').filter(Boolean).map(decodeURIComponent);
  const own = await workflowAnswer(method, url, body, parts);
  if (own) return own;
  if (parts[0] === 'studio') {
    const [, , one, two, three, four] = parts;
    const kind = process.env.FIXTURE_KIND ?? 'raised';
    const key = `${two}/${three}`;
    if (one === 'state') return ok({ program: { name: 'playbook', version: '0.1.0' }, host: 'browser', folder: open ? folder() : null, recent: [{ path, name: 'Campaign reviews', playbook: 'campaign-reviews', opened_at: ago(6e5), missing: false }, { path: '/home/ana/playbooks/onboarding', name: 'Onboarding', playbook: 'onboarding', opened_at: ago(2e8), missing: false }, { path: '/media/usb/pricing', name: 'Pricing', playbook: 'pricing', opened_at: ago(9e8), missing: true }], compiler: process.env.FIXTURE_NO_COMPILER ? { ready: false, sentence: 'The TypeScript compiler is not here.' } : { ready: true } });
    if (one === 'folder') {
      if (two === 'open' && body.path !== path) return problem(body.path.includes('lock') ? 409 : 422, body.path.includes('lock') ? 'The log of this folder is open in playbook serve, process 4211.' : 'There is no playbook.yaml in this folder, so it is not a playbook.', body.path.includes('lock') ? { kind: 'taken' } : { reason: 'invalid_input' });
      open = two !== 'close';
      return ok(two === 'close' ? {} : folder());
    }
    if (one === 'documents' && method === 'POST' && !two) { add(body.type, body.name, body.type === 'recall' ? text('visit-counts') : text('review-brief'), { saved: null, version: null }); changed('documents'); return ok({ document: document(docs.get(`${body.type}/${body.name}`)) }); }
    if (one === 'documents') {
      const doc = docs.get(key);
      if (!doc) return problem(404, `There is no ${key} in this playbook.`, { reason: 'not_found' });
      if (four === 'outside') { doc.text = body.text; changed('documents'); return ok({}); }
      if (four === 'retire') { doc.state = 'retired'; changed('documents'); return ok({ document: document(doc) }); }
      if (four === 'delete') { docs.delete(key); changed('documents'); return ok({}); }
      if (method === 'PUT') {
        if (body.base !== hash(doc.text)) return problem(409, 'The file changed outside since it was read.', { kind: 'concurrent_change', theirs: doc.text, theirs_base: hash(doc.text) });
        const passes = errors(check(doc.type, body.text)) === 0;
        doc.text = body.text;
        if (passes && doc.saved !== body.text) { doc.saved = body.text; doc.version = (doc.version ?? 0) + 1; }
        changed('documents', 'views');
      }
      return ok({ ...(method === 'PUT' ? { document: document(doc) } : document(doc)) });
    }
    if (one === 'check') { await new Promise((done) => setTimeout(done, 120)); return ok(check(body.type, body.text, body.name)); }
    if (one === 'format') return ok({ html: `<p>${body.text.replace(/</g, '&lt;')}</p>` });
    if (one === 'trial') return ok({ ending: body.input?.campaign ? { status: 'succeeded', output: { campaign: body.input.campaign, verdict: 'approve' }, record: { language: 'typescript', work: 0, duration_ms: 4, input_bytes: 120, output_bytes: 48 } } : { status: 'rejected', rejection: { reason: 'invalid_input', detail: 'The input does not match the input schema.', issues: [{ detail: 'Must have the property campaign.', pointer: '' }, { detail: 'Must be a number.', pointer: '/brief/budget' }] } } });
    if (one === 'views') {
      const standing = standings[two];
      if (!standing) return problem(404, `There is no recall function ${two}.`, { reason: 'not_found' });
      if (three === 'scrub') {
        const indexed = Math.min(FOLDED, Math.round((Date.now() - begun) / Number(process.env.FIXTURE_INDEX_MS ?? 0.05)));
        await new Promise((done) => setTimeout(done, Number(process.env.FIXTURE_STEP_MS ?? 15)));
        if (four === 'jump') return ok({ index: body.to === 'added' && !campaigns.includes(body.key) ? null : body.to === 'grew' ? 5120 : body.to === 'shrank' ? 8500 : body.to === 'added' ? Math.min(body.from, 1 + campaigns.indexOf(body.key)) : 4000, why: null });
        if (four !== undefined) { const at = Number(four); return ok({ index: at, event: at === 0 ? null : scrubEvent(at), position: at * 3, before: at === 0 ? null : viewAt(at - 1), after: viewAt(at), bytes_before: at === 0 ? null : sizeOf(at - 1), bytes_after: sizeOf(at), work: at % 7 === 0 ? 1 : 0, ms: 0.4 }); }
        return ok({ version: standing.version, indexed, folded: FOLDED, state: indexed < FOLDED ? 'indexing' : 'ready', sizes: sizesTo(indexed), peak: { index: 17100, bytes: sizeOf(17100) }, growth: { index: 5120, by: 8211 } });
      }
      if (three === 'rehearse' && four === undefined) { const id = randomUUID(); rehearsals.set(id, { at: Date.now(), ...body }); return ok({ rehearsal: id }); }
      if (three === 'rehearse') {
        const one = rehearsals.get(four), known = one.scope === 'all' ? 954 : 100, folded = Math.min(known, Math.round((Date.now() - one.at) * (one.scope === 'all' ? 0.3 : 0.2)));
        if (parts[6] === 'stop') { one.stopped = true; return ok({}); }
        const stalls = one.text.includes('again') && folded > 300;
        return ok({ state: one.stopped ? 'stopped' : stalls ? 'stalled' : folded === known ? 'reached_end' : 'going', scope: one.scope, folded: stalls ? 301 : folded, read: folded, known, ms: Date.now() - one.at, sizes: sizesTo(stalls ? 301 : folded).map(([at, size]) => [at, size * 18]), peak: { index: folded, bytes: 12000 }, view_bytes: 910, view: { '/offers': 420, unknown: 1 },
          ...(stalls ? { stalled: { event: { specversion: '1.0', id: 'again-1', type: 'page_visited', source: '/site', time: ago(7000000), data: { visitor: 12, page: '/Offers' } }, before: { '/offers': 300 }, kind: 'raised', error: 'TypeError: not a function', line: 14, index: 302 } } : {}) });
      }
      if (three === 'cases') { await new Promise((done) => setTimeout(done, 300)); if (body.case === 'taken') return problem(409, 'The file tests/recall/visit-counts/taken.yaml exists already.'); return ok({ path: `tests/recall/${two}/${body.case}.yaml`, folds: 57, bytes_before: 2310, bytes_after: 121, event: { id: '1', type: 'page_visited', source: '/site', data: {} } }); }
      if (three === 'refold') {
        await new Promise((done) => setTimeout(done, 60));
        const before = { '/offers': 388, '/about': 212, '/contact': 311 };
        return ok(body.text.includes('typeof') ? { outcome: 'folded', before, after: { ...before, unknown: 1 }, bytes: 58, work: 0, ms: 0.4 } : { outcome: 'stalled', before, kind: 'raised', error: "TypeError: cannot read property 'toLowerCase' of undefined", line: 13 });
      }
      if (three === 'rebuild') return ok(standing);
      const view = two === 'campaign-reviews' ? viewOf() : { '/offers': 388, '/about': 212, '/contact': 311 };
      return ok({ standing, view, view_bytes: JSON.stringify(view).length * (two === 'campaign-reviews' ? 11 : 1), view_bytes_most: 524288, filters: [{ sentence: two === 'campaign-reviews' ? 'each time a run of the reasoning function review-brief succeeds' : 'each published event of the type page_visited' }],
        ...(standing.stalled ? { stalled: { event: { specversion: '1.0', id: '0199a3c4-7d2e-7c1a-9b3f-2f1e0d9c8b99', type: 'page_visited', source: '/site', time: ago(7200000), data: { visitor: 'v-88', path: '/Offers' } }, before: view, error: kind === 'raised' ? standing.stalled.error : null, line: kind === 'raised' ? 13 : null, kind, waiting: 42, ...(kind === 'schema' ? { issue: { pointer: '/~1offers', detail: 'Must be an integer.', found: '"389"' } } : kind === 'size' ? { largest: [{ name: '/offers', bytes: 310_000 }, { name: '/contact', bytes: 140_210 }, { name: '/about', bytes: 40_000 }, { name: '/', bytes: 3000 }] } : kind === 'unfit' ? { issue: { path: '/seen/at', found: 'a Date' } } : {}) } } : {}) });
    }
    if (one === 'changes') {
      const after = url.searchParams.get('after');
      if (after === null || seq > Number(after)) return ok({ seq, changes: [] });
      const changes = await new Promise((done) => { const wake = (list) => { waiting.delete(wake); clearTimeout(timer); done(list); }; const timer = setTimeout(() => wake([]), 20000); waiting.add(wake); });
      return ok({ seq, changes });
    }
    if (one === 'servers') { if (method === 'POST' && !two) { const server = { ...body, id: randomUUID(), key: body.key ? 'keychain' : 'none' }; delete server.key_text; servers.push(server); return ok({ server }); } return ok({ servers }); }
    if (one === 'publish' && two === 'plan') return ok(plan());
    if (one === 'publish') { const outcomes = ['published', 'published', 'moved', 'refused', 'unsure', 'pulled']; return ok({ results: body.items.map((item, n) => { const outcome = item.action === 'skip' ? 'skipped' : item.action === 'pull' ? 'pulled' : outcomes[n % 5]; return { ...item, outcome, version: outcome === 'published' ? 3 : null, ...(outcome === 'refused' ? { detail: 'The server found problems.', problems: [{ line: 9, pointer: '/input/schema', detail: 'Line 9, /input/schema: Unknown keyword.' }] } : {}), checked_at: ago(900), sent_at: ago(700), read_back_at: outcome === 'published' ? ago(300) : null }; }) }); }
    if (one === 'inputs') { return ok(method === 'POST' ? {} : { inputs: [{ name: 'spring-sale', value: { campaign: 'spring-sale', brief: { audience: 'Families with a garden', goal: 'More visits in April', budget: 12000, channels: ['mail', 'web'] } } }, { name: 'no-budget', value: { campaign: 'autumn-launch', brief: { audience: 'Students', goal: 'First orders' } } }] }); }
  }
  const [, , , , , what, id, third, fourth] = parts;
  if (what === 'runs' && id) { const run = runs.find((one) => one.run_id === id); return run ? ok(run) : problem(404, 'There is no run of this id.', { reason: 'not_found' }); }
  if (what === 'runs') {
    const query = url.searchParams;
    const left = runs.filter((run) => ['type', 'name', 'status'].every((field) => !query.get(field) || run[field] === query.get(field)));
    const from = Number(query.get('cursor') ?? 0), limit = Number(query.get('limit') ?? 20);
    return ok({ runs: left.slice(from, from + limit).map(({ output: _o, record: _r, ...run }) => run), has_more: from + limit < left.length, next_cursor: from + limit < left.length ? String(from + limit) : null });
  }
  if (what === 'events' && id) { const found = history.find((one) => one.id === id); return found ? ok(found) : problem(404, 'There is no such event.', { reason: 'not_found' }); }
  if (what === 'events') {
    const query = url.searchParams;
    let left = history.filter((one) => (!query.get('type') || one.type === query.get('type')) && (!query.get('run_id') || one.metadata.run_id === query.get('run_id')));
    if (query.get('order') === 'asc') left = left.toReversed();
    const from = Number(query.get('cursor') ?? 0), limit = Number(query.get('limit') ?? 20);
    return ok({ events: left.slice(from, from + limit), has_more: from + limit < left.length, next_cursor: from + limit < left.length ? String(from + limit) : null });
  }
  if (what === 'definitions' && parts.at(-1) === 'run') {
    if (!body.input?.campaign) return problem(422, 'The input does not match the input schema.', { reason: 'invalid_input', errors: [{ detail: 'Must have the property campaign.', pointer: '' }, { detail: 'Must be a number.', pointer: '/brief/budget' }] });
    const run = { ...runs[0], run_id: body.run_id, type: id, name: third, started_at: ago(8), finished_at: ago(0), status: 'succeeded', output: { campaign: body.input.campaign, verdict: 'reject: the budget is not stated' }, record: { language: 'typescript', work: 0, duration_ms: 8, input_bytes: 214, output_bytes: 51 } };
    delete run.rejection;
    runs.unshift(run);
    history.unshift({ id: randomUUID(), type: 'run_succeeded', summary: `The ${id} function ${third} succeeded.`, data: { output: run.output }, metadata: { stream: `runs/${run.run_id}`, position: 2, global_position: 40001, correlation_id: run.run_id, causation_id: null, at: run.finished_at, by: 'local', run_id: run.run_id, definition: { type: id, name: third, version: 4 } } });
    changed('log');
    return ok(run);
  }
  return problem(404, `No such address: ${url.pathname} ${fourth ?? ''}`, { reason: 'not_found' });
}

const kinds = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };
createServer(async (request, response) => {
  const url = new URL(request.url, 'http://fixture');
  if (url.pathname.startsWith('/studio/') || url.pathname.startsWith('/v1/')) {
    let raw = '';
    for await (const chunk of request) raw += chunk;
    try {
      const { status, body } = await answer(request.method, url, raw ? JSON.parse(raw) : {});
      response.writeHead(status, { 'content-type': status < 400 ? 'application/json' : 'application/problem+json', 'cache-control': 'no-store' });
      response.end(JSON.stringify(body));
    } catch (error) {
      response.writeHead(500, { 'content-type': 'application/problem+json' });
      response.end(JSON.stringify({ status: 500, detail: String(error) }));
    }
    return;
  }
  let file = join(dist, normalize(url.pathname));
  if (!file.startsWith(dist) || !existsSync(file) || statSync(file).isDirectory()) file = join(dist, 'index.html');
  response.writeHead(200, { 'content-type': kinds[extname(file)] ?? 'application/octet-stream', 'content-security-policy': "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; worker-src 'self' blob:; connect-src 'self'" });
  createReadStream(file).pipe(response);
}).listen(Number(process.env.PORT ?? 4179), '127.0.0.1', function () { console.log(`fixture server on http://127.0.0.1:${this.address().port}/`); });
