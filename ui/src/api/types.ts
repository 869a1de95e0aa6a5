/** The shapes of the Studio's API. They say what travels; they must not know how it is shown. */

import type { WorkflowCheck } from './workflow';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export interface Span { start: number; end: number }

export interface Place {
  span: Span;
  /** From 1. */
  line: number;
  /** From 1, in UTF-16 units. */
  column: number;
  end_line: number;
  end_column: number;
  pointer?: string;
}

export interface Point { line: number; column: number }

export interface FixEdit { span: Span; from: Point; to: Point; text: string }

export interface Fix { title: string; edits: FixEdit[] }

export interface Problem {
  code: string;
  severity: 'error' | 'warning';
  place: Place;
  message: string;
  hint?: string;
  fix?: Fix;
}

export type DocumentState = 'saved' | 'draft' | 'problems' | 'missing' | 'retired';

export type StandingState = 'live' | 'rebuilding' | 'waiting' | 'stalled';

export interface RowStanding { state: StandingState; folded: number; lag_ms: number; kind?: string }

export interface DocumentRow {
  type: string;
  name: string;
  path: string;
  state: DocumentState;
  version: number | null;
  problems: number;
  warnings: number;
  description: string | null;
  standing: RowStanding | null;
}

export interface FolderProblem { path: string; message: string; hint?: string }

export interface Folder {
  path: string;
  playbook: { id: string; name: string; description: string | null };
  documents: DocumentRow[];
  problems: FolderProblem[];
  unpublished: number | null;
}

export interface RecentFolder { path: string; name: string; playbook: string; opened_at: string; missing: boolean }

export interface StudioState {
  program: { name: string; version: string };
  host: 'desktop' | 'browser';
  /** A folder that vanished while it was open comes without its playbook. */
  folder: Folder | Pick<Folder, 'path'> | null;
  recent: RecentFolder[];
  compiler: { ready: boolean; sentence?: string };
}

export interface LargestView { bytes: number | null; dominates?: string; unbounded?: string }

export interface Check {
  judged: 'yes' | 'no';
  not_judged?: string;
  problems: Problem[];
  description: string | null;
  input_schema: Json | null;
  output_schema: Json | null;
  view_schema: Json | null;
  declarations: string | null;
  overview_markdown: string | null;
  overview_html: string | null;
  bytes: number;
  bytes_most: number;
  largest_view: LargestView | null;
  /** Of a workflow alone. */
  workflow?: WorkflowCheck | null;
}

export interface DocumentText {
  type: string;
  name: string;
  path: string;
  text: string;
  base: string | null;
  state: DocumentState;
  version: number | null;
  saved_text: string | null;
  author_overview: string | null;
  author_diagram: string | null;
  check: Check;
}

export interface Issue { detail: string; pointer: string }

export interface Rejection { reason: string; detail: string; kind?: string; because?: string; issues?: Issue[] }

export type Ending =
  | { status: 'succeeded'; output: Json; record: Json }
  | { status: 'rejected'; rejection: Rejection }
  | { status: 'failed' };

export interface Run {
  run_id: string;
  type: string;
  name: string;
  definition_version: number;
  status: 'started' | 'succeeded' | 'rejected' | 'failed';
  started_at: string;
  started_by: string;
  finished_at?: string | null;
  output?: Json;
  record?: Json;
  rejection?: Rejection;
}

export interface RunPage { runs: Run[]; has_more: boolean; next_cursor: string | null }

export interface HistoryRow { id: string; type: string; summary: string; data: Json; metadata: { [key: string]: Json } }

export interface HistoryPage { events: HistoryRow[]; has_more: boolean; next_cursor: string | null }

export interface StalledEvent { id: string; type: string; time?: string }

export interface Standing {
  state: StandingState;
  version: number;
  checkpoint?: string | null;
  checkpoint_at?: string | null;
  last_event?: { id: string; time: string } | null;
  folded: number;
  lag_ms: number;
  newest_record_at?: string | null;
  stalled?: { event: StalledEvent; kind: string; error?: string; line?: number };
  /** How many events there are to fold, where it is known while a view is built. */
  known?: number | null;
}

export interface StallDetail {
  event: { [key: string]: Json };
  before: Json;
  error: string | null;
  line: number | null;
  kind: string;
  /** Matching events recorded behind it, counted up to 10,000. */
  waiting?: number | null;
  /** The count of those goes on. */
  counting?: boolean;
  /** For `schema` what was refused and where, with what stands there as JSON text; for `unfit` what stands where. */
  issue?: StallIssue | null;
  /** For `size`, the largest top-level members of the view before. */
  largest?: { name: string; bytes: number }[] | null;
}

export interface StallIssue { pointer?: string; detail?: string; path?: string; found?: string | null }

/** What came closest to a filter that took nothing. */
export interface Nearest { count: number; type: string; attribute?: string | null; value?: string | null; wanted?: string | null; sentence: string }

export interface FilterRow {
  sentence: string;
  type?: string;
  /** Records that match its attributes; counted only while nothing was folded. */
  taken?: number | null;
  /** The count goes on. */
  counting?: boolean;
  nearest?: Nearest | null;
}

export interface ViewAnswer {
  standing: Standing;
  view: Json;
  view_bytes: number;
  view_bytes_most: number;
  filters: FilterRow[];
  stalled?: StallDetail;
  /** The view of the version before, as it stood when it was replaced. */
  replaced?: { version: number; view: Json } | null;
}

/** An event, counted from 1 in the order folded, and the bytes of the view after it; 0 is before any event. */
export type SizePoint = [at: number, bytes: number];

export interface Scrub {
  version: number;
  /** How many of the folded events can be looked at already. */
  indexed: number;
  folded: number;
  state: 'indexing' | 'ready' | 'stalled' | 'failed';
  sizes: SizePoint[];
  peak?: { index: number; bytes: number } | null;
  growth?: { index: number; by: number } | null;
  detail?: string | null;
}

export interface ScrubStep {
  index: number;
  event: { [key: string]: Json } | null;
  position?: number | null;
  before: Json;
  after: Json;
  bytes_before: number | null;
  bytes_after: number;
  work?: number | null;
  ms?: number | null;
}

export interface ScrubJump { to: 'added' | 'grew' | 'shrank' | 'time' | 'event'; from: number; key?: string; time?: string; id?: string }

export interface Jumped { index: number | null; why?: string | null }

export type RehearsalScope = 'last' | 'all';

export interface RehearsedStall {
  event: { [key: string]: Json };
  before: Json;
  kind: string;
  error: string | null;
  line: number | null;
  /** Which of the events tried it was, from 1. */
  index: number;
}

export interface Rehearsal {
  state: 'going' | 'reached_end' | 'stalled' | 'stopped' | 'failed';
  scope: RehearsalScope;
  folded: number;
  /** Of the `known` events of the types it takes, how many were looked at; the filters take some of them. */
  read: number;
  known: number | null;
  ms: number;
  sizes: SizePoint[];
  peak?: { index: number; bytes: number } | null;
  view_bytes: number;
  view?: Json;
  stalled?: RehearsedStall;
  detail?: string | null;
}

/** Bytes of the event and the view before it, together. */
export interface KeptCase { path: string; folds: number; bytes_before: number; bytes_after: number; event: Json }

export interface Refold {
  outcome: 'folded' | 'stalled' | 'passed' | 'problems';
  before?: Json;
  after?: Json;
  bytes?: number;
  work?: number;
  ms?: number;
  kind?: string;
  error?: string;
  line?: number;
  problems?: Problem[];
}

export interface Change { topic: string; [key: string]: Json }

export interface Changes { seq: number; changes: Change[] }

export interface Server {
  id: string;
  name: string;
  origin: string;
  org: string;
  playbook: string;
  key: 'keychain' | 'file' | 'none';
}

export type PlanState =
  | 'new' | 'changed_here' | 'changed_there' | 'changed_both' | 'same' | 'gone_here' | 'blocked' | 'retired_there';

export interface PlanItem {
  type: string;
  name: string;
  state: PlanState;
  action: 'publish' | 'pull' | 'stop' | 'nothing';
  version_there: number | null;
  by_there: string | null;
  at_there: string | null;
  mine: string | null;
  base: string | null;
  theirs: string | null;
  effects: string[];
  blocked?: string;
}

export interface Plan { id: string; read_at: string; playbook: { exists: boolean; name: string }; items: PlanItem[] }

export type Chosen = 'publish' | 'pull' | 'overwrite' | 'skip';

export interface PublishResult {
  type: string;
  name: string;
  outcome: 'published' | 'pulled' | 'refused' | 'moved' | 'unsure' | 'skipped' | 'not_tried';
  version?: number | null;
  detail?: string | null;
  problems?: { line?: number; pointer?: string; detail: string }[];
  checked_at?: string | null;
  sent_at?: string | null;
  read_back_at?: string | null;
}

/** An input kept in the folder; one whose file is no JSON comes as its text. */
export type SavedInput = { name: string; value: Json } | { name: string; text: string; problem: string }

/** A refusal as the runtime says it. */
export interface ProblemDocument {
  type?: string;
  title?: string;
  status: number;
  detail: string;
  reason?: string;
  kind?: string;
  because?: string;
  errors?: Issue[];
  [member: string]: unknown;
}
