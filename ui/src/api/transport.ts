/** How the UI reaches the runtime: one call, JSON in and out. Must not know screens or stores. */

import type { ProblemDocument } from './types';

export type Method = 'GET' | 'POST' | 'PUT';

export interface Transport {
  call<T>(method: Method, path: string, body?: unknown, signal?: AbortSignal): Promise<T>;
}

/** The runtime said no, with its words. */
export class Refusal extends Error {
  readonly problem: ProblemDocument;
  /** Seconds after which the same request may be sent again, where the runtime said so. */
  readonly retryAfter: number | null;
  constructor(problem: ProblemDocument, retryAfter: number | null = null) {
    super(problem.detail);
    this.name = 'Refusal';
    this.problem = problem;
    this.retryAfter = retryAfter;
  }
}

/** Nobody answered: the runtime is gone or not reachable. */
export class Unreachable extends Error {
  constructor() {
    super('The runtime does not answer.');
    this.name = 'Unreachable';
  }
}

/** The words of anything that can be thrown by a call. */
export function wordsOf(error: unknown): string {
  if (error instanceof Refusal) return error.problem.detail;
  if (error instanceof Unreachable) return 'The runtime does not answer. What you typed is kept here.';
  return error instanceof Error ? error.message : String(error);
}

export function isRefusal(error: unknown, kind: string): error is Refusal {
  return error instanceof Refusal && error.problem.kind === kind;
}

async function problemOf(response: Response): Promise<ProblemDocument> {
  const fallback: ProblemDocument = {
    status: response.status,
    detail: `The runtime answered with status ${response.status} and no words.`,
  };
  try {
    const parsed: unknown = JSON.parse(await response.text());
    if (typeof parsed !== 'object' || parsed === null) return fallback;
    const given = parsed as Partial<ProblemDocument>;
    return { ...given, status: response.status, detail: typeof given.detail === 'string' ? given.detail : fallback.detail };
  } catch {
    return fallback;
  }
}

/**
 * Plain `fetch` with a text body. Never a Blob, a File or a form: over the desktop's own scheme
 * WebKitGTK crashes on them.
 */
export const httpTransport: Transport = {
  async call<T>(method: Method, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
    const init: RequestInit = { method, headers: { accept: 'application/json' } };
    if (body !== undefined) {
      init.body = JSON.stringify(body);
      init.headers = { accept: 'application/json', 'content-type': 'application/json' };
    }
    if (signal) init.signal = signal;
    let response: Response;
    let text: string;
    try {
      response = await fetch(path, init);
      if (!response.ok) {
        const after = Number(response.headers.get('retry-after') ?? '');
        throw new Refusal(await problemOf(response), Number.isFinite(after) && after > 0 ? after : null);
      }
      text = await response.text();
    } catch (error) {
      if (error instanceof Refusal) throw error;
      if (error instanceof DOMException && error.name === 'AbortError') throw error;
      throw new Unreachable();
    }
    try {
      return JSON.parse(text === '' ? '{}' : text) as T;
    } catch {
      throw new Refusal({ status: response.status, detail: 'The runtime’s answer could not be read: it is not JSON.' });
    }
  },
};
