// FIXTURE: made-up workflows, their runs, an inbox and triggers, for looking at screens while no runtime is built.
import { readFileSync } from 'node:fs';

const ago = (ms) => new Date(Date.now() - ms).toISOString();
// The tests' own flowcharts, without their types.
const source = readFileSync(new URL('../src/testing/flowcharts.ts', import.meta.url), 'utf8').replace(/^import.*$/m, '').replaceAll(': Flowchart', '').replace('(steps: number)', '(steps)');
export const { reviewAndApprove, everyKind, longOne } = await import(`data:text/javascript,${encodeURIComponent(source)}`);
export const text = readFileSync(new URL('texts/review-and-approve.yaml', import.meta.url), 'utf8');
const yaml = (chart) => `document:\n  dsl: '1.0.3'\ndo:\n${[...new Map([...chart.groups, ...chart.nodes.filter((node) => node.reference)].map((one) => [one.reference, one])).values()].sort((a, b) => a.reference.length - b.reference.length).map((one) => `  - ${one.reference.split('/').at(-1)}:\n      set: {}\n`).join('')}`;
export const charts = { 'review-and-approve': reviewAndApprove, 'every-kind': everyKind, 'long-one': longOne(60), 'very-long': longOne(200), 'too-long': longOne(400) };
export const texts = Object.fromEntries(Object.entries(charts).map(([name, chart]) => [name, name === 'review-and-approve' ? text : yaml(chart)]));

export function workflowCheck(name, given) {
  const chart = charts[name] ?? reviewAndApprove;
  const bytes = (units) => Buffer.byteLength(given.slice(0, units));
  const tasks = [...chart.groups, ...chart.nodes].flatMap((one) => {
    if (!one.reference) return [];
    const own = one.reference.split('/').at(-1);
    const found = new RegExp(`^( *)- ${own}:`, 'm').exec(given);
    if (!found) return [];
    const rest = given.slice(found.index + found[0].length);
    const end = rest.split('\n').reduce((held, line, at) => (held.done || (at > 0 && line.trim() !== '' && line.search(/\S/) <= found[1].length) ? { ...held, done: true } : { length: held.length + line.length + 1 }), { length: 0 }).length;
    return [{ pointer: one.reference, name: own, kind: one.kind, number: one.number, whole: { start: bytes(found.index), end: bytes(found.index + found[0].length + end) }, key: { start: bytes(found.index + found[1].length + 2), end: bytes(found.index + found[0].length - 1) }, fields: {} }];
  });
  return { flowchart: chart, outline: { tasks } };
}

// One run of many inputs: a loop over calls, each answered.
const RUN = '0199a3c4-7d2e-7c1a-9b3f-00000000f10a';
const LONG = '0199a3c4-7d2e-7c1a-9b3f-00000000f20b';
const task = (reference, run, outcome, more = {}) => ({ reference, name: reference.split('/').at(-1), run, outcome, times: 1, ...more });
const base = Date.now() - 3 * 3600e3;
const at = (ms) => new Date(base + ms).toISOString();
const R = '/do/0/review', RB = '/do/0/review/try/0/review-brief', A = '/do/1/approval', ASK = '/do/1/approval/try/0/ask-for-approval';
const stop = (reference, outcome, more = {}) => ({ reference, name: reference.split('/').at(-1), run: 1, outcome, expressions: [], ...more });
const brief = { brief: 'A brief for the spring sale: families with a garden, mail and web, 9,000 USD.', owner: 'ana' };
const SHORT_INPUTS = [
  { at: at(0), kind: 'started', summary: 'Started with its input.', steps: [task(R, 1, 'started'), task(RB, 1, 'waiting', { waits_for: 'the computation function review-brief', child: '0199a3c4-7d2e-7c1a-9b3f-2f1e0d9c8b71' })], bytes: 812,
    stops: [stop(R, 'started', { data: brief, input: brief, context: {} }), stop(RB, 'waiting', { data: brief, input: brief, context: {}, expressions: [{ pointer: `${RB}/with/input/brief`, text: '$data.brief', value: brief.brief, work: 0 }] })] },
  { at: at(4200), kind: 'call_answered', key: 'c1', summary: 'The computation function review-brief was unavailable.', steps: [task(RB, 1, 'raised', { error: 'communication 503' }), task(R, 1, 'waiting', { waits_for: 'a retry in 5 seconds' })], bytes: 300,
    stops: [stop(RB, 'raised', { data: brief, input: brief, context: {}, error: { type: 'communication', status: 503, title: 'The computation function review-brief could not be run now' } }), stop(R, 'waiting', { data: brief, input: brief, context: {}, error: { type: 'communication', status: 503 }, expressions: [] })] },
  { at: at(9200), kind: 'timer_fired', key: 't1', summary: 'The wait before the retry ended.', steps: [task(RB, 2, 'waiting', { waits_for: 'the computation function review-brief', child: '0199a3c4-7d2e-7c1a-9b3f-2f1e0d9c8b71' })], bytes: 120,
    stops: [stop(RB, 'waiting', { run: 2, data: brief, input: brief, context: {} })] },
  { at: at(11000), kind: 'call_answered', key: 'c2', summary: 'The computation function review-brief succeeded.', steps: [task(RB, 2, 'completed'), task(R, 1, 'completed'), task(A, 1, 'started'), task(ASK, 1, 'waiting', { waits_for: 'the interaction function approve-campaign-brief', child: '0199a3c4-7d2e-7c1a-9b3f-00000000a001' })], bytes: 2400,
    stops: [stop(RB, 'completed', { run: 2, data: { verdict: 'Ready', met: ['audience', 'offer', 'budget'] }, input: brief, output: { verdict: 'Ready', met: ['audience', 'offer', 'budget'] }, context: {} }),
      stop(R, 'completed', { data: { verdict: 'Ready', met: ['audience', 'offer', 'budget'] }, input: brief, output: { owner: 'ana', review: { verdict: 'Ready', met: ['audience', 'offer', 'budget'] } }, context: {}, expressions: [{ pointer: `${R}/output/as`, text: '({ owner: $input.owner, review: $data })', value: { owner: 'ana', review: { verdict: 'Ready', met: ['audience', 'offer', 'budget'] } }, work: 0 }] }),
      stop(A, 'started', { data: { owner: 'ana', review: { verdict: 'Ready' } }, input: { owner: 'ana', review: { verdict: 'Ready' } }, context: {} }),
      stop(ASK, 'waiting', { data: { owner: 'ana', review: { verdict: 'Ready' } }, input: { owner: 'ana', review: { verdict: 'Ready' } }, context: {}, expressions: [{ pointer: `${ASK}/with/input/owner`, text: '$data.owner', value: 'ana', work: 0 }, { pointer: `${ASK}/with/input/review`, text: '$data.revew.text', error: "TypeError: cannot read property 'text' of undefined", work: 0 }] })] },
];
const loopInput = (position) => {
  const n = Math.floor(position / 2);
  const C = '/do/2/each/do/0/review', W = '/do/2/each/do/1/pause';
  const item = { brief: `brief ${n}`, budget: n * 7 };
  return position % 2 === 1
    ? { at: at(position * 1800), kind: 'call_answered', summary: 'The computation function review-brief succeeded.', steps: [task(C, n + 1, 'completed'), task(W, n + 1, 'waiting', { waits_for: '5 seconds' })], bytes: 400, stops: [stop(C, 'completed', { run: n + 1, data: { total: n * 7 }, input: item, output: { total: n * 7 }, context: { seen: n }, item: { item, index: n } }), stop(W, 'waiting', { run: n + 1, data: { total: n * 7 }, input: { total: n * 7 }, context: { seen: n }, item: { item, index: n } })] }
    : { at: at(position * 1800), kind: 'timer_fired', summary: 'The wait of 5 seconds ended.', steps: [task(W, n, 'completed'), task(C, n + 1, 'waiting', { waits_for: 'the computation function review-brief' })], bytes: 210, stops: [stop(W, 'completed', { run: n, data: { total: n * 7 }, input: { total: n * 7 }, output: { total: n * 7 }, context: { seen: n }, item: { item, index: n } }), stop(C, 'waiting', { run: n + 1, data: { total: n * 7 }, input: item, context: { seen: n }, item: { item, index: n } })] };
};
const INPUTS = Number(process.env.FIXTURE_INPUTS ?? 20000);
const inputOf = (id, position) => (id === RUN ? SHORT_INPUTS[position - 1] : loopInput(position));
const totalOf = (id) => (id === RUN ? SHORT_INPUTS.length : INPUTS);
const litOf = (id, position) => (id === RUN ? [...new Set(SHORT_INPUTS.slice(0, position).flatMap((one) => one.steps.map((step) => step.reference)))] : ['/do/0/collect', '/do/1/how-many', '/do/2/each', '/do/2/each/do/0/review', ...(position > 1 ? ['/do/2/each/do/1/pause'] : [])]);

export const workflowRuns = [
  { run_id: RUN, type: 'workflow', name: 'review-and-approve', definition_version: 1, status: 'started', started_at: at(0), started_by: 'local', finished_at: null },
  { run_id: LONG, type: 'workflow', name: 'every-kind', definition_version: 2, status: 'rejected', started_at: at(0), started_by: 'playbook:campaign-reviews', finished_at: at(INPUTS * 1800), rejection: { reason: 'unavailable', detail: 'No briefs, at the step none.' } },
];
const answers = [
  { run_id: '0199a3c4-7d2e-7c1a-9b3f-00000000a001', function: 'approve-campaign-brief', version: 1, to: 'ana', delivery: 'inbox', message: 'The review of your campaign brief is ready:\n\n**Ready.** All four criteria are met.\n\nApprove the brief as it stands, or ask for a revision.', takes_answer: true, answer_schema: { type: 'object', required: ['verdict'], properties: { verdict: { type: 'string', enum: ['approve', 'revise'] }, note: { type: 'string', maxLength: 2000 } } }, requested_at: at(11000), expires_at: new Date(Date.now() + 26 * 3600e3).toISOString(), attempts: 0, conversation: null, answerer: null, reply_refusals: 0, standing: 'open' },
  ...Array.from({ length: 30 }, (_, n) => ({ run_id: `0199a3c4-7d2e-7c1a-9b3f-00000000b${String(n).padStart(3, '0')}`, function: n % 2 ? 'approve-campaign-brief' : 'ask-for-budget', version: 1, to: n % 3 ? 'ben' : 'ana', delivery: 'inbox', message: `Which budget may campaign ${n} have?`, takes_answer: true, answer_schema: { type: 'object', required: ['amount'], properties: { amount: { type: 'integer', minimum: 0, description: 'In whole USD' } } }, requested_at: ago(n * 3.1e6 + 6e5), expires_at: new Date(Date.now() + (n - 1) * 4.1e6 + 3e5).toISOString(), attempts: 0, conversation: null, answerer: null, reply_refusals: 0, standing: 'open' })),
];
const triggers = [
  { workflow: 'every-kind', version: 2, kind: 'event', reference: '/schedule/on', sentence: 'each time an event of the type com.example.brief.submitted is published, whose data holds', filters: [{ type: 'com.example.brief.submitted', attributes: {}, sentence: 'each published event of the type com.example.brief.submitted whose data is high in priority' }], since: ago(9e7), next: [], refused: { count: 3, reason: 'The workflow’s event trigger had started 60 runs in the minute.', at: ago(5e6) } },
  { workflow: 'every-kind', version: 2, kind: 'cron', reference: '/schedule/cron', sentence: 'at 09:00 UTC on Monday to Friday', expression: '0 9 * * 1-5', since: ago(9e7), next: [1, 2, 3, 4, 7].map((day) => new Date(Math.ceil(Date.now() / 864e5) * 864e5 + day * 864e5 + 9 * 36e5).toISOString()) },
  { workflow: 'every-kind', version: 2, kind: 'every', reference: '/schedule/every', sentence: 'every 15 minutes', milliseconds: 900000, since: ago(9e7), next: [1, 2, 3, 4, 5].map((n) => new Date(Date.now() + n * 9e5).toISOString()), running: LONG },
];

/** The answer to a call about workflows, or nothing for another's. */
export async function workflowAnswer(method, url, body, parts) {
  const ok = (value) => ({ status: 200, body: value });
  if (parts[0] === 'studio') {
    const [, , one, id, three, position, five] = parts;
    if (one === 'triggers' && !id) return ok(triggers);
    if (one === 'triggers') return ok({ filters: [{ reference: '/schedule/on/one', examined: 1000, matched: Array.from({ length: 12 }, (_, n) => ({ id: `e-${n}`, type: 'com.example.brief.submitted', time: ago(n * 4e6), source: '/briefs' })), missed: [{ why: 'its priority is not high', count: 88 }, { why: 'another type: run_succeeded', count: 900 }] }] });
    if (one !== 'runs') return null;
    const run = workflowRuns.find((each) => each.run_id === id);
    if (!run) return { status: 404, body: { status: 404, detail: 'There is no run of this id.', reason: 'not_found' } };
    const total = totalOf(id);
    if (!three) return ok({ run, newest_version: id === RUN ? 1 : 3, inputs: total, waits: id === RUN ? [{ reference: ASK, name: 'ask-for-approval', for: 'call', until: new Date(Date.now() + 26 * 3600e3).toISOString(), child: '0199a3c4-7d2e-7c1a-9b3f-00000000a001' }] : [], ...(id === LONG ? { trigger: { kind: 'every', reference: '/schedule/every' } } : {}),
      children: id === RUN ? [{ run_id: '0199a3c4-7d2e-7c1a-9b3f-2f1e0d9c8b71', type: 'computation', name: 'review-brief', status: 'rejected', reference: RB, run: 1, started_at: at(60), finished_at: at(4200) }, { run_id: '0199a3c4-7d2e-7c1a-9b3f-2f1e0d9c8b71', type: 'computation', name: 'review-brief', status: 'succeeded', reference: RB, run: 2, started_at: at(9260), finished_at: at(11000) }, { run_id: '0199a3c4-7d2e-7c1a-9b3f-00000000a001', type: 'interaction', name: 'approve-campaign-brief', status: 'started', reference: ASK, run: 1, started_at: at(11060), finished_at: null }] : [],
      flowchart: charts[run.name], source: texts[run.name], input: brief });
    if (!position) {
      const from = Number(url.searchParams.get('from') ?? 1), limit = Number(url.searchParams.get('limit') ?? 100);
      const rows = [];
      for (let at = from; at < Math.min(total + 1, from + limit); at += 1) { const { stops: _stops, ...row } = inputOf(id, at); rows.push({ position: at, ...row }); }
      return ok({ total, rows });
    }
    if (five === 'evaluate') return ok(/nope/.test(body.text) ? { error: "ReferenceError: nope is not defined" } : { value: { of: body.text } });
    const found = inputOf(id, Number(position));
    return ok({ position: Number(position), at: found.at, kind: found.kind, input: { [found.kind]: found.summary }, stops: found.stops, before: [], after: [], lit: litOf(id, Number(position)) });
  }
  const [, , , , , what, id, third] = parts;
  if (what === 'interactions') {
    const to = url.searchParams.get('to'), fn = url.searchParams.get('function');
    return ok({ interactions: answers.filter((one) => (!to || one.to === to) && (!fn || one.function === fn)), has_more: false, next_cursor: null });
  }
  if (what === 'runs' && third === 'answer') {
    const at = answers.findIndex((one) => one.run_id === id);
    if (at < 0) return { status: 409, body: { status: 409, detail: 'The request is closed.', reason: 'conflict' } };
    if (body.answer?.verdict === undefined && body.answer?.amount === undefined) return { status: 422, body: { status: 422, detail: 'The answer does not fit.', reason: 'invalid_input', errors: [{ pointer: '/answer/verdict', detail: 'expected one of approve, revise' }] } };
    answers.splice(at, 1);
    return ok({ run_id: id, type: 'interaction', name: 'approve-campaign-brief', definition_version: 1, status: 'succeeded', output: body.answer, started_at: ago(1e6), started_by: 'local', finished_at: ago(0) });
  }
  return null;
}
