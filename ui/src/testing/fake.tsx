/** A runtime that answers from a table, for component tests. */

import { render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { RuntimeProvider } from '../api/react';
import { Refusal, type Method, type Transport } from '../api/transport';
import type { Check, DocumentText, Folder } from '../api/types';
import { WorkspaceProvider } from '../app/workspace';

export interface Call { method: Method; path: string; body: unknown }

type Answerer = (call: Call) => unknown;

/** Answers by `METHOD path` without its query; a function answers anew at each call. */
export class FakeTransport implements Transport {
  readonly calls: Call[] = [];
  private readonly answers = new Map<string, Answerer>();
  private readonly waiting = new Set<(changes: { topic: string }[]) => void>();
  private seq = 1;

  on(what: string, answer: unknown | Answerer): this {
    this.answers.set(what, typeof answer === 'function' ? (answer as Answerer) : () => answer);
    return this;
  }

  changed(...topics: string[]): void {
    this.seq += 1;
    const told = topics.map((topic) => ({ topic }));
    for (const wake of [...this.waiting]) wake(told);
  }

  sent(what: string): Call[] {
    return this.calls.filter((call) => `${call.method} ${call.path.split('?')[0]}` === what);
  }

  async call<T>(method: Method, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
    if (path.startsWith('/studio/api/changes')) {
      if (!path.includes('after=')) return { seq: this.seq, changes: [] } as T;
      const changes = await new Promise<{ topic: string }[]>((resolve, reject) => {
        const wake = (told: { topic: string }[]) => { this.waiting.delete(wake); resolve(told); };
        this.waiting.add(wake);
        signal?.addEventListener('abort', () => { this.waiting.delete(wake); reject(new DOMException('', 'AbortError')); });
      });
      return { seq: this.seq, changes } as T;
    }
    const call = { method, path, body };
    this.calls.push(call);
    const answer = this.answers.get(`${method} ${path.split('?')[0]}`);
    if (!answer) throw new Refusal({ status: 404, detail: `Nothing answers ${method} ${path}`, reason: 'not_found' });
    return await answer(call) as T;
  }
}

export const folder = (given: Partial<Folder> = {}): Folder => ({
  path: '/books/reviews', playbook: { id: 'reviews', name: 'Reviews', description: null }, documents: [], problems: [], unpublished: 0, ...given,
});

export const check = (given: Partial<Check> = {}): Check => ({
  judged: 'yes', problems: [], description: null, input_schema: null, output_schema: null, view_schema: null, declarations: null,
  overview_markdown: null, overview_html: null, bytes: 1, bytes_most: 65_536, largest_view: null, ...given,
});

export const documentText = (given: Partial<DocumentText> = {}): DocumentText => ({
  type: 'computation', name: 'score', path: 'computation/score.md', text: 'one', base: 'b1', state: 'saved', version: 1, saved_text: 'one',
  author_overview: null, author_diagram: null, check: check(), ...given,
});

export function show(transport: Transport, children: ReactNode, given: Partial<Folder> = {}) {
  return render(<RuntimeProvider transport={transport}><WorkspaceProvider folder={folder(given)}>{children}</WorkspaceProvider></RuntimeProvider>);
}
