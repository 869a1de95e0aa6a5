/** The shapes of workflows in the Studio's API: their drawing, their text, and their runs. */

import type { FixEdit, Json, Rejection, Run, Span } from './types';

export type NodeKind = 'trigger' | 'call' | 'switch' | 'raise' | 'set' | 'wait' | 'listen' | 'emit' | 'end';

export type GroupKind = 'for' | 'do' | 'fork' | 'try';

/** A box of the drawing. `reference` is the task's JSON Pointer in the document. */
export interface FlowNode { id: string; kind: NodeKind; label: string; number?: string; reference?: string; group?: string }

export interface FlowGroup { id: string; kind: GroupKind; label: string; number: string; reference: string; group?: string }

export type EdgeKind = 'flow' | 'catch' | 'next_item' | 'skip';

export interface FlowEdge { from: string; to: string; label?: string; kind: EdgeKind }

export interface Flowchart { nodes: FlowNode[]; groups: FlowGroup[]; edges: FlowEdge[] }

/** Bytes of the text in UTF-8. */
export type Bytes = Span;


/**
 * A task in the text: bytes of the whole item, of its name, and of the value of each of its fields, also of those within
 * them (`with/input`). `says` is its value without the lists of tasks within it.
 */
export interface OutlineTask { pointer: string; name: string; kind: string; number: string; whole: Bytes; key: Bytes; fields: { [field: string]: Bytes }; says: Json }

/** An edit of the drawing; places are references in the document, places in a list count from 0. */
export type Operation =
  | { do: 'add'; list: string; at: number; name: string; task: Json }
  | { do: 'move'; task: string; list: string; at: number }
  | { do: 'rename'; task: string; name: string }
  | { do: 'duplicate' | 'wrap' | 'delete'; task: string }
  | { do: 'set'; at: string; value: Json }
  | { do: 'write'; at: string; yaml: string }
  | { do: 'unset'; at: string };

/** The text after edits of its drawing, how it comes from the one before, the task they were of, and its tasks now. */
export interface Edited { text: string; edits: FixEdit[]; task: string | null; outline: WorkflowOutline | null }

export interface WorkflowOutline { tasks: OutlineTask[] }

/** What a check finds of a workflow besides its problems. */
export interface WorkflowCheck { flowchart: Flowchart | null; outline: WorkflowOutline | null }

/** What a run waits for now. */
export interface Wait { reference: string; name: string; for: 'call' | 'timer' | 'event' | 'retry'; until?: string | null; child?: string | null }

/** A run that a task started; `run` counts the task's own runs from 1. */
export interface ChildRun {
  run_id: string; type: string; name: string; status: Run['status']; reference: string; run: number; started_at: string; finished_at?: string | null;
}

export interface WorkflowRun {
  run: Run;
  newest_version: number | null;
  parent?: { run_id: string; reference: string } | null;
  trigger?: { kind: string; reference: string } | null;
  /** How many inputs it took. */
  inputs: number;
  waits: Wait[];
  children: ChildRun[];
  flowchart: Flowchart | null;
  source: string | null;
  input: Json;
}

export type InputKind = 'started' | 'timer_fired' | 'call_answered' | 'event_received' | 'event_offered' | 'cancel_requested';

export type Outcome = 'started' | 'waiting' | 'completed' | 'skipped' | 'raised' | 'timed_out' | 'cancelled';

/** What an input did with a task. */
export interface StepRow { reference: string; name: string; run: number; outcome: Outcome; times: number; error?: string; waits_for?: string; child?: string }

/** One input a run took; `position` counts from 1. */
export interface InputRow { position: number; at: string; kind: InputKind; key?: string; summary: string; steps: StepRow[]; bytes: number }

export interface Evaluated { pointer: string; text: string; value?: Json; error?: string; work: number }

/** A task at the moment it came to a stop while an input was applied. */
export interface Stop {
  reference: string; name: string; run: number; outcome: Outcome;
  input?: Json; output?: Json; context?: Json; data?: Json; error?: Json;
  /** The names that loops give, each with its value. */
  item?: { [name: string]: Json };
  expressions: Evaluated[];
}

export interface InputDetail { position: number; at: string; kind: InputKind; input: Json; stops: Stop[]; lit: string[] }

/** A request that waits in the inbox. */
export interface Interaction {
  run_id: string; function: string; version: number; to: string; delivery: Json; message: string; takes_answer: boolean; answer_schema: Json | null;
  requested_at: string; expires_at: string; attempts: number; conversation?: Json; answerer?: Json; reply_refusals: number; standing: string;
}

export interface InteractionPage { interactions: Interaction[]; has_more: boolean; next_cursor: string | null }

export interface TriggerRow {
  workflow: string; version: number; kind: 'event' | 'cron' | 'every'; reference: string; sentence: string; expression?: string; milliseconds?: number;
  filters?: { type: string; attributes?: { [name: string]: Json }; sentence: string }[];
  since: string;
  /** The next times it is due; none for an event trigger. */
  next: string[];
  running?: string | null;
  refused?: { count: number; reason: string; at: string } | null;
  stopped?: { reference: string; why: string }[] | null;
}

/** What a filter would have matched among the newest events. */
export interface Tried { reference: string; sentence?: string; examined: number; matched: { id: string; type: string; time?: string; source: string }[]; missed: { why: string; count: number }[] }

/** A task in a run that is compared; `line` is of the text that ran. */
export interface TurnPlace { reference: string; name: string; run: number; line: number | null }

/** Where two runs first differ. */
export interface FirstDifference {
  position: number;
  what: string;
  recorded_task?: TurnPlace;
  task?: TurnPlace;
  recorded: string;
  now: string;
  before?: Json;
  after?: Json;
  sentence: string;
}

/** A run given again to what is saved now. */
export interface Replayed {
  recorded_version: number;
  version: number | null;
  inputs: number;
  same: boolean;
  same_ending: boolean | null;
  sentence: string;
  difference: FirstDifference | null;
  drifted: number | null;
}

/** Where a call's answer came from; `none` where there is none. */
export type AnswerSource = 'recorded' | 'written' | 'live' | 'none';

/** A call of a fork. */
export interface ForkCall {
  reference: string;
  name: string;
  run: number;
  type: string;
  definition: string;
  input: Json;
  source: AnswerSource;
  /** `cut` says that the output is only how a larger one begins. */
  answer: { status: string; output?: Json; cut?: boolean; rejection?: Rejection } | null;
  why: string | null;
}

/** What was chosen for a call of a fork. */
export interface ForkChoice { task: string; run: number; source: 'recorded' | 'live' | 'written'; output?: Json; rejected?: string }

/** A run gone on with from one of its inputs, in memory. */
export interface Forked {
  at: number;
  sentence: string;
  same: boolean;
  difference: FirstDifference | null;
  rows: { position: number; at: string; summary: string; steps: StepRow[] }[];
  calls: ForkCall[];
  /** Calls that are not told. */
  more_calls: number;
  emitted: Json[];
  more_emitted: number;
  ending: { status: string; output?: Json; rejection?: Rejection };
}
