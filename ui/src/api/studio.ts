/** The calls by name, and the paths that queries read. Must not know screens. */

import type { Transport } from './transport';
import type {
  Check, Chosen, DocumentText, Ending, Folder, HistoryPage, Json, Jumped, KeptCase, Plan, Problem, PublishResult, Refold, Rehearsal, RehearsalScope,
  Run, RunPage, ScrubJump, ScrubStep, Server,
} from './types';
import type { Edited, ForkChoice, Forked, InputDetail, InputRow, InteractionPage, Operation, Replayed, Tried } from './workflow';

const part = encodeURIComponent;

export const paths = {
  state: '/studio/api/state',
  folder: '/studio/api/folder',
  document: (type: string, name: string) => `/studio/api/documents/${part(type)}/${part(name)}`,
  view: (name: string) => `/studio/api/views/${part(name)}`,
  scrub: (name: string) => `${paths.view(name)}/scrub`,
  rehearsal: (name: string, id: string) => `${paths.view(name)}/rehearse/${part(id)}`,
  inputs: (type: string, name: string) => `/studio/api/inputs/${part(type)}/${part(name)}`,
  servers: '/studio/api/servers',
  triggers: '/studio/api/triggers',
  playbook: (id: string) => `/v1/orgs/local/playbooks/${part(id)}`,
  workflowRun: (id: string) => `/studio/api/runs/${part(id)}`,
  run: (playbook: string, id: string) => `${paths.playbook(playbook)}/runs/${part(id)}`,
  event: (playbook: string, id: string) => `${paths.playbook(playbook)}/events/${part(id)}`,
  definition: (playbook: string, type: string, name: string) =>
    `${paths.playbook(playbook)}/definitions/${part(type)}/${part(name)}`,
};

/** The topics of the change feed. */
export const topics = {
  log: ['log'],
  documents: ['documents', 'folder'],
  folder: ['folder', 'documents', 'views', 'publish'],
  views: ['views', 'log'],
  publish: ['publish'],
  state: ['folder'],
} as const;

export interface PageQuery { [field: string]: string | number | null | undefined }

export function query(fields: PageQuery): string {
  const parts = Object.entries(fields).flatMap(([key, value]) =>
    value === null || value === undefined || value === '' ? [] : [`${part(key)}=${part(String(value))}`]);
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

export class Studio {
  readonly transport: Transport;
  constructor(transport: Transport) {
    this.transport = transport;
  }

  openFolder = (path: string) => this.post<Folder>('/studio/api/folder/open', { path });
  sampleFolder = (path: string) => this.post<Folder>('/studio/api/folder/sample', { path });
  newFolder = (given: { path: string; playbook: string; name: string; description: string }) =>
    this.post<Folder>('/studio/api/folder/new', given);
  closeFolder = () => this.post<object>('/studio/api/folder/close', {});

  document = (type: string, name: string, signal?: AbortSignal) =>
    this.transport.call<DocumentText>('GET', paths.document(type, name), undefined, signal);
  check = (type: string, name: string, text: string, signal?: AbortSignal) =>
    this.transport.call<Check>('POST', '/studio/api/check', { type, name, text }, signal);
  edit = (text: string, operations: readonly Operation[]) => this.post<Edited>('/studio/api/edit', { text, operations });
  save = (type: string, name: string, text: string, base: string | null) =>
    this.transport.call<{ document: DocumentText }>('PUT', paths.document(type, name), { text, base });
  create = (type: string, name: string) => this.post<{ document: DocumentText }>('/studio/api/documents', { type, name });
  retire = (type: string, name: string) =>
    this.post<{ document: DocumentText }>(`${paths.document(type, name)}/retire`, {});
  remove = (type: string, name: string) => this.post<object>(`${paths.document(type, name)}/delete`, {});
  markdown = (text: string) => this.post<{ html: string }>('/studio/api/format/markdown', { text });

  trial = (type: string, name: string, text: string, input: Json, signal?: AbortSignal) =>
    this.transport.call<{ ending: Ending }>('POST', '/studio/api/trial', { type, name, text, input }, signal);
  run = (playbook: string, type: string, name: string, input: Json, runId: string) =>
    this.post<Run>(`${paths.definition(playbook, type, name)}/run`, { input, run_id: runId });
  getRun = (playbook: string, id: string) => this.transport.call<Run>('GET', paths.run(playbook, id));
  runs = (playbook: string, fields: PageQuery, signal?: AbortSignal) =>
    this.transport.call<RunPage>('GET', `${paths.playbook(playbook)}/runs${query(fields)}`, undefined, signal);
  events = (playbook: string, fields: PageQuery, signal?: AbortSignal) =>
    this.transport.call<HistoryPage>('GET', `${paths.playbook(playbook)}/events${query(fields)}`, undefined, signal);

  cancel = (playbook: string, id: string, reason: string) => this.post<Run>(`${paths.run(playbook, id)}/cancel`, { reason });

  interactions = (playbook: string, fields: PageQuery, signal?: AbortSignal) =>
    this.transport.call<InteractionPage>('GET', `${paths.playbook(playbook)}/interactions${query(fields)}`, undefined, signal);
  answer = (playbook: string, id: string, given: { answer: Json; claimed_for?: string }) => this.post<Run>(`${paths.run(playbook, id)}/answer`, given);
  tryTrigger = (workflow: string) => this.post<{ filters: Tried[] }>(`${paths.triggers}/${part(workflow)}/try`, {});

  inputs = (id: string, from: number, limit: number, signal?: AbortSignal) =>
    this.transport.call<{ total: number; rows: InputRow[] }>('GET', `${paths.workflowRun(id)}/inputs${query({ from, limit })}`, undefined, signal);
  input = (id: string, position: number, signal?: AbortSignal) =>
    this.transport.call<InputDetail>('GET', `${paths.workflowRun(id)}/inputs/${position}`, undefined, signal);
  evaluate = (id: string, position: number, stop: number, text: string) =>
    this.post<{ value?: Json; error?: string }>(`${paths.workflowRun(id)}/inputs/${position}/evaluate`, { stop, text });
  replay = (id: string) => this.post<Replayed>(`${paths.workflowRun(id)}/replay`, {});
  fork = (id: string, at: number, calls: ForkChoice[]) => this.post<Forked>(`${paths.workflowRun(id)}/fork`, { at, calls });
  keepRun = (id: string, called: string) => this.post<{ path: string; inputs: number }>(`${paths.workflowRun(id)}/keep`, { case: called });

  refold = (name: string, text: string, signal?: AbortSignal) =>
    this.transport.call<Refold>('POST', `${paths.view(name)}/refold`, { text }, signal);

  scrubStep = (name: string, index: number, signal?: AbortSignal) =>
    this.transport.call<ScrubStep>('GET', `${paths.scrub(name)}/${index}`, undefined, signal);
  scrubJump = (name: string, jump: ScrubJump) => this.post<Jumped>(`${paths.scrub(name)}/jump`, jump);
  rehearse = (name: string, text: string, scope: RehearsalScope) =>
    this.post<{ rehearsal?: string; problems?: Problem[] }>(`${paths.view(name)}/rehearse`, { text, scope });
  rehearsal = (name: string, id: string, signal?: AbortSignal) =>
    this.transport.call<Rehearsal>('GET', paths.rehearsal(name, id), undefined, signal);
  stopRehearsal = (name: string, id: string) => this.post<object>(`${paths.rehearsal(name, id)}/stop`, {});
  keepCase = (name: string, text: string, called: string) => this.post<KeptCase>(`${paths.view(name)}/cases`, { text, case: called });

  saveInput = (type: string, name: string, given: { input: string; value: Json }) =>
    this.post<object>(paths.inputs(type, name), given);

  addServer = (given: { name: string; origin: string; org: string; playbook: string; key?: string }) =>
    this.post<{ server: Server }>(paths.servers, given);
  changeServer = (id: string, given: { name: string; origin: string; org: string; playbook: string; key?: string }) =>
    this.transport.call<{ server: Server }>('PUT', `${paths.servers}/${part(id)}`, given);
  removeServer = (id: string) => this.post<object>(`${paths.servers}/${part(id)}/delete`, {});
  plan = (server: string) => this.post<Plan>('/studio/api/publish/plan', { server });
  apply = (plan: string, items: { type: string; name: string; action: Chosen }[]) =>
    this.post<{ results: PublishResult[] }>('/studio/api/publish/apply', { plan, items });

  private post<T>(path: string, body: object): Promise<T> {
    return this.transport.call<T>('POST', path, body);
  }
}
