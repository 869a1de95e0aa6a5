/** Flowcharts for tests: the sample's, one of every kind, and long ones. */

import type { Flowchart } from '../api/workflow';

export const reviewAndApprove: Flowchart = {
  nodes: [
    { id: 'start', kind: 'trigger', label: 'A call of run_definition' },
    { id: 'n1-1', kind: 'call', label: 'Run review-campaign-brief', number: '1.1', reference: '/do/0/review/try/0/review-brief', group: 'g1' },
    { id: 'n1-2', kind: 'raise', label: 'The review could not be run', number: '1.2', reference: '/do/0/review/catch/do/0/give-up', group: 'g1' },
    { id: 'n2-1', kind: 'call', label: 'Run approve-campaign-brief', number: '2.1', reference: '/do/1/approval/try/0/ask-for-approval', group: 'g2' },
    { id: 'n2-2', kind: 'set', label: 'Set verdict and note', number: '2.2', reference: '/do/1/approval/catch/do/0/no-answer', group: 'g2' },
    { id: 'end', kind: 'end', label: 'End' },
  ],
  groups: [
    { id: 'g1', kind: 'try', label: 'review', number: '1', reference: '/do/0/review' },
    { id: 'g2', kind: 'try', label: 'approval', number: '2', reference: '/do/1/approval' },
  ],
  edges: [
    { from: 'start', to: 'n1-1', kind: 'flow' },
    { from: 'n1-1', to: 'n1-2', kind: 'catch', label: 'status 503' },
    { from: 'n1-1', to: 'n2-1', kind: 'flow' },
    { from: 'n2-1', to: 'n2-2', kind: 'catch', label: 'unanswered' },
    { from: 'n2-1', to: 'end', kind: 'flow' },
    { from: 'n2-2', to: 'end', kind: 'flow' },
  ],
};

export const everyKind: Flowchart = {
  nodes: [
    { id: 's1', kind: 'trigger', label: 'Each event com.example.brief.submitted' },
    { id: 's2', kind: 'trigger', label: 'At 09:00 UTC on working days' },
    { id: 's3', kind: 'trigger', label: 'A call of run_definition' },
    { id: 'a', kind: 'set', label: 'Set briefs', number: '1', reference: '/do/0/collect' },
    { id: 'b', kind: 'switch', label: 'How many briefs?', number: '2', reference: '/do/1/how-many' },
    { id: 'c', kind: 'call', label: 'Run review-brief', number: '3.1', reference: '/do/2/each/do/0/review', group: 'loop' },
    { id: 'd', kind: 'wait', label: 'Wait 5 seconds', number: '3.2', reference: '/do/2/each/do/1/pause', group: 'loop' },
    { id: 'e', kind: 'call', label: 'Run ask-owner', number: '4.1.1', reference: '/do/3/ask/fork/branches/0/owner/try/0/ask', group: 'owner' },
    { id: 'e2', kind: 'set', label: 'Set no answer', number: '4.1.2', reference: '/do/3/ask/fork/branches/0/owner/catch/do/0/none', group: 'owner' },
    { id: 'f', kind: 'listen', label: 'Listen for com.example.brief.revised', number: '4.2', reference: '/do/3/ask/fork/branches/1/revised', group: 'ask' },
    { id: 'g', kind: 'emit', label: 'Emit com.example.brief.approved', number: '5', reference: '/do/4/announce' },
    { id: 'h', kind: 'raise', label: 'No briefs', number: '6', reference: '/do/5/none' },
    { id: 'end', kind: 'end', label: 'End' },
  ],
  groups: [
    { id: 'loop', kind: 'for', label: 'each: for each brief', number: '3', reference: '/do/2/each' },
    { id: 'ask', kind: 'fork', label: 'ask: the first to finish wins', number: '4', reference: '/do/3/ask' },
    { id: 'owner', kind: 'try', label: 'owner', number: '4.1', reference: '/do/3/ask/fork/branches/0/owner', group: 'ask' },
  ],
  edges: [
    { from: 's1', to: 'a', kind: 'flow' }, { from: 's2', to: 'a', kind: 'flow' }, { from: 's3', to: 'a', kind: 'flow' },
    { from: 'a', to: 'b', kind: 'flow' },
    { from: 'b', to: 'c', kind: 'flow', label: 'many' }, { from: 'b', to: 'h', kind: 'flow', label: 'none' }, { from: 'b', to: 'g', kind: 'flow', label: 'one, already approved' },
    { from: 'c', to: 'd', kind: 'flow' }, { from: 'd', to: 'c', kind: 'next_item', label: 'next item' },
    { from: 'd', to: 'e', kind: 'flow' }, { from: 'd', to: 'f', kind: 'flow' },
    { from: 'e', to: 'e2', kind: 'catch' }, { from: 'e', to: 'g', kind: 'flow' }, { from: 'e2', to: 'g', kind: 'flow' }, { from: 'f', to: 'g', kind: 'flow' },
    { from: 'd', to: 'g', kind: 'skip', label: 'if not' },
    { from: 'g', to: 'end', kind: 'flow' }, { from: 'g', to: 'b', kind: 'flow', label: 'again' },
  ],
};

/** A workflow of so many steps: lists of eight in groups, with decisions and recoveries. */
export function longOne(steps: number): Flowchart {
  const chart: Flowchart = { nodes: [{ id: 'start', kind: 'trigger', label: 'A call of run_definition' }], groups: [], edges: [] };
  let before = 'start';
  for (let at = 0; at < steps; at += 1) {
    const group = Math.floor(at / 8);
    const grouped = group % 2 === 0;
    if (grouped && at % 8 === 0) chart.groups.push({ id: `g${group}`, kind: group % 4 === 0 ? 'try' : 'for', label: `part-${group}`, number: `${group + 1}`, reference: `/do/${group}/part-${group}` });
    const id = `n${at}`;
    chart.nodes.push({
      id, kind: at % 7 === 3 ? 'switch' : at % 5 === 0 ? 'set' : 'call', label: `Run step-${at}-of-the-work`, number: `${group + 1}.${(at % 8) + 1}`,
      reference: `/do/${group}/part-${group}/do/${at % 8}/step-${at}`, ...(grouped ? { group: `g${group}` } : {}),
    });
    chart.edges.push({ from: before, to: id, kind: 'flow' });
    if (at % 7 === 3 && at + 2 < steps) chart.edges.push({ from: id, to: `n${at + 2}`, kind: 'skip', label: 'otherwise' });
    if (grouped && at % 8 === 7) chart.edges.push(group % 4 === 0 ? { from: id, to: `n${at - 2}`, kind: 'catch' } : { from: id, to: `n${at - 7}`, kind: 'next_item' });
    before = id;
  }
  chart.nodes.push({ id: 'end', kind: 'end', label: 'End' });
  chart.edges.push({ from: before, to: 'end', kind: 'flow' });
  return chart;
}
