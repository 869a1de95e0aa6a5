/**
 * The texts on screen. A text that is not on disk lives here across tab switches, and as a crash
 * copy in the browser's own store. Nothing typed is dropped before it is on disk or the person said
 * so. Must not know the editor: it keeps the editor's state as a value it cannot read.
 */

import type { Check, DocumentText } from '../api/types';

export interface Conflict { theirs: string; theirsBase: string | null }

export interface CrashCopy { text: string; base: string | null; at: string }

export interface Draft {
  readonly key: string;
  readonly type: string;
  readonly name: string;
  readonly text: string;
  /** The hash of the text on disk that this text began from; null when there is no file. */
  readonly base: string | null;
  readonly baseText: string;
  readonly check: Check;
  /** The text that `check` was judged against. */
  readonly checked: string;
  /** The last check that found no error, for what is drawn from a valid text. */
  readonly lastGood: Check | null;
  readonly conflict: Conflict | null;
  /** Found on opening: what was typed before the program ended, and is not on disk. */
  readonly crash: CrashCopy | null;
  /** The file vanished outside. */
  readonly gone: boolean;
  readonly saving: boolean;
  /** The editor's own state, so that undo and cursor outlive a tab switch. */
  readonly editor: unknown;
}

export const isDirty = (draft: Draft): boolean => draft.text !== draft.baseText || draft.gone;

const passes = (check: Check): boolean => check.judged === 'yes' && !check.problems.some((one) => one.severity === 'error');

export interface Kept { getItem(key: string): string | null; setItem(key: string, value: string): void; removeItem(key: string): void }

/** What is typed within this time before a crash is not in the copy. */
const CRASH_REST_MS = 150;

export class Drafts {
  private readonly drafts = new Map<string, Draft>();
  private readonly listeners = new Set<() => void>();
  private readonly kept: Kept;
  private readonly folder: string;
  private marks: ReadonlySet<string> = new Set();
  private counted: ReadonlyMap<string, { errors: number; warnings: number }> = new Map();
  private readonly due = new Set<string>();
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor(folder: string, kept: Kept = localStorage) {
    this.folder = folder;
    this.kept = kept;
    // A window that goes away writes what is still due.
    addEventListener('pagehide', this.flush);
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  get = (key: string): Draft | undefined => this.drafts.get(key);

  /** The keys of texts that are not on disk; the same set while nothing changes. */
  dirty = (): ReadonlySet<string> => this.marks;

  /** The problems of the texts that are not on disk, as last judged; the same map while nothing changes. */
  problems = (): ReadonlyMap<string, { errors: number; warnings: number }> => this.counted;

  /**
   * A document was read: at first, after a save, or because its file changed outside. A clean text
   * follows the file; a changed one is kept and the difference is said.
   */
  read(document: DocumentText): void {
    const key = `${document.type}/${document.name}`;
    const before = this.drafts.get(key);
    const gone = document.state === 'missing';
    if (!before) {
      const crash = this.crashCopy(key);
      this.put({
        key, type: document.type, name: document.name, text: document.text, base: document.base, baseText: document.text,
        check: document.check, checked: document.text, lastGood: passes(document.check) ? document.check : null,
        conflict: null, crash: crash && crash.text !== document.text ? crash : null, gone, saving: false, editor: null,
      });
      return;
    }
    const judged = { check: document.check, checked: document.text, lastGood: passes(document.check) ? document.check : before.lastGood };
    if (gone) this.put({ ...before, gone: true, base: document.base });
    else if (document.text === before.text) {
      this.put({ ...before, ...judged, base: document.base, baseText: document.text, gone: false, conflict: null });
    } else if (before.text === before.baseText) {
      this.put({ ...before, ...judged, text: document.text, base: document.base, baseText: document.text, gone: false, conflict: null });
    } else if (document.base === before.base || document.text === before.baseText) {
      this.put({ ...before, base: document.base, baseText: document.text, gone: false });
    } else {
      this.put({ ...before, gone: false, conflict: { theirs: document.text, theirsBase: document.base } });
    }
  }

  type(key: string, text: string): void {
    const draft = this.drafts.get(key);
    if (draft && draft.text !== text) this.put({ ...draft, text });
  }

  keepEditor(key: string, editor: unknown): void {
    const draft = this.drafts.get(key);
    // Not a change anybody watches.
    if (draft) this.drafts.set(key, { ...draft, editor });
  }

  /** An answer of the checker. One for another text than the one on screen is dropped. */
  judged(key: string, text: string, check: Check): void {
    const draft = this.drafts.get(key);
    if (!draft || draft.text !== text) return;
    this.put({ ...draft, check, checked: text, lastGood: passes(check) ? check : draft.lastGood });
  }

  saving(key: string, saving: boolean): void {
    const draft = this.drafts.get(key);
    if (draft) this.put({ ...draft, saving });
  }

  /** What was sent is on disk; what was typed since stays typed. */
  saved(key: string, sent: string, document: DocumentText): void {
    const draft = this.drafts.get(key);
    if (!draft) return;
    this.put({
      ...draft, saving: false, conflict: null, gone: false, base: document.base, baseText: sent,
      ...(draft.text === sent
        ? { check: document.check, checked: sent, lastGood: passes(document.check) ? document.check : draft.lastGood }
        : {}),
    });
  }

  /** The file is not there any more: a save then makes it anew. */
  vanished(key: string): void {
    const draft = this.drafts.get(key);
    if (draft) this.put({ ...draft, saving: false, gone: true, base: null, conflict: null });
  }

  conflicted(key: string, conflict: Conflict): void {
    const draft = this.drafts.get(key);
    if (draft) this.put({ ...draft, saving: false, conflict });
  }

  /** Their text is taken; the editor's undo still has mine. */
  takeTheirs(key: string): void {
    const draft = this.drafts.get(key);
    if (!draft?.conflict) return;
    const { theirs, theirsBase } = draft.conflict;
    this.put({ ...draft, text: theirs, baseText: theirs, base: theirsBase, conflict: null });
  }

  /** My text is meant to replace theirs at the next save. */
  keepMine(key: string): string | null {
    const draft = this.drafts.get(key);
    if (!draft?.conflict) return draft?.base ?? null;
    const { theirs, theirsBase } = draft.conflict;
    this.put({ ...draft, base: theirsBase, baseText: theirs, conflict: null });
    return theirsBase;
  }

  restoreCrash(key: string): void {
    const draft = this.drafts.get(key);
    if (!draft?.crash) return;
    const { text, base } = draft.crash;
    // A file that changed since is another's text: the choice is asked for as in any conflict.
    const moved = base !== draft.base && draft.baseText !== text;
    this.put({ ...draft, text, crash: null, ...(moved ? { base, conflict: { theirs: draft.baseText, theirsBase: draft.base } } : {}) });
  }

  dropCrash(key: string): void {
    const draft = this.drafts.get(key);
    if (!draft) return;
    this.put({ ...draft, crash: null });
  }

  /** The person threw the text away, or the document is no more. */
  forget(key: string): void {
    this.drafts.delete(key);
    this.due.delete(key);
    this.kept.removeItem(this.crashKey(key));
    this.tell();
  }

  private put(draft: Draft): void {
    this.drafts.set(draft.key, draft);
    // While a crash copy is on offer it is the only copy: it is not overwritten.
    if (!draft.crash) this.keepSoon(draft.key);
    this.tell();
  }

  private tell(): void {
    const now = [...this.drafts.values()].filter(isDirty).map((draft) => draft.key);
    if (now.length !== this.marks.size || now.some((key) => !this.marks.has(key))) this.marks = new Set(now);
    this.count();
    for (const listener of [...this.listeners]) listener();
  }

  private count(): void {
    const now = [...this.drafts.values()].filter(isDirty).map((draft) => {
      const errors = draft.check.problems.filter((one) => one.severity === 'error').length;
      return [draft.key, { errors, warnings: draft.check.problems.length - errors }] as const;
    });
    const same = now.length === this.counted.size && now.every(([key, one]) => {
      const before = this.counted.get(key);
      return before?.errors === one.errors && before.warnings === one.warnings;
    });
    if (!same) this.counted = new Map(now);
  }

  private crashKey(key: string): string {
    return `playbook.unsaved:${this.folder}:${key}`;
  }

  /** A copy of a long text at each key would be felt: it is written once the keys rest. */
  private keepSoon(key: string): void {
    this.due.add(key);
    this.timer ??= setTimeout(this.flush, CRASH_REST_MS);
  }

  /** Writes the crash copies that are due, now. */
  flush = (): void => {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    for (const key of this.due) {
      const draft = this.drafts.get(key);
      if (draft && !draft.crash) this.keepCrash(draft);
    }
    this.due.clear();
  };

  private keepCrash(draft: Draft): void {
    try {
      if (draft.text === draft.baseText) this.kept.removeItem(this.crashKey(draft.key));
      else {
        const copy: CrashCopy = { text: draft.text, base: draft.base, at: new Date().toISOString() };
        this.kept.setItem(this.crashKey(draft.key), JSON.stringify(copy));
      }
    } catch { /* A full store keeps no crash copy; the text itself is still here. */ }
  }

  private crashCopy(key: string): CrashCopy | null {
    try {
      const read: unknown = JSON.parse(this.kept.getItem(this.crashKey(key)) ?? 'null');
      if (typeof read !== 'object' || read === null) return null;
      const { text, base, at } = read as Partial<CrashCopy>;
      return typeof text === 'string' ? { text, base: base ?? null, at: typeof at === 'string' ? at : '' } : null;
    } catch {
      return null;
    }
  }
}
