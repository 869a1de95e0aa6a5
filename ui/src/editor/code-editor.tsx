/** The editor of a text, with problems from outside. Must not know where the text comes from. */

import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic } from '@codemirror/lint';
import { historyField, isolateHistory, redo, undo } from '@codemirror/commands';
import { EditorSelection, EditorState, StateEffect, StateField, type Extension, type Text } from '@codemirror/state';
import { Decoration, EditorView, keymap, type DecorationSet } from '@codemirror/view';
import { useEffect, useImperativeHandle, useRef } from 'react';
import type { Ref } from 'react';
import type { Fix, Point, Problem } from '../api/types';
import { assist, type Named } from './assist';
import { endsChanged, endsField, inEditor, inText, linesOf, remembers, takesEnds, textOf } from './ends';
import { editing, type Language } from './setup';

export interface EditorHandle {
  focus(): void;
  /** Puts the cursor at a place, counted from 1, and shows it. */
  jump(point: Point): void;
  /** Where the cursor is, counted from 1. */
  cursor(): Point;
  /** Selects a stretch of the text, in UTF-16 units with the line ends it has, and shows it; the focus moves only when asked to. */
  reveal(from: number, to: number, focus: boolean): void;
  /** Changes several places at once, in UTF-16 units; undo takes all of it back. */
  change(changes: readonly { from: number; to: number; insert: string }[]): void;
  /** Applies the edits of a fix. */
  fix(fix: Fix): void;
  /** Makes edits from elsewhere as one step for undo; the focus stays where it is. */
  write(edits: Fix['edits']): void;
  undo(): void;
  redo(): void;
}

interface Props {
  label: string;
  language: Language;
  /** The type of the document, for completion and hover; nothing for other texts. */
  documentType?: string | undefined;
  text: string;
  onText: (text: string) => void;
  /** Problems of `judged`; shown only while that is the text. */
  problems: readonly Problem[];
  judged: string;
  /** A line to light, from 1: where a fold raised. */
  lit?: number | null;
  /** Brings the lit line in sight when the editor opens. */
  showLit?: boolean;
  readOnly?: boolean;
  /** The state of an earlier editor of this text, and where to keep this one's. */
  kept?: unknown;
  keep?: (state: unknown) => void;
  /** Told where the cursor is, in UTF-16 units of the text. */
  onCursor?: ((offset: number) => void) | undefined;
  /** The definitions of the playbook, for the names that a text may call. */
  definitions?: readonly Named[] | undefined;
  handle?: Ref<EditorHandle>;
  autoFocus?: boolean;
}

const lightLine = StateEffect.define<number | null>();
const litLine = Decoration.line({ class: 'cm-litLine' });
const litField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(lit, transaction) {
    let next = lit.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (!effect.is(lightLine)) continue;
      const line = effect.value;
      next = line === null || line < 1 || line > transaction.state.doc.lines ? Decoration.none
        : Decoration.set([litLine.range(transaction.state.doc.line(line).from)]);
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function offset(doc: Text, point: Point): number {
  const line = doc.line(Math.min(doc.lines, Math.max(1, point.line)));
  return Math.min(line.to, line.from + Math.max(0, point.column - 1));
}

function diagnostics(view: EditorView, problems: readonly Problem[]): Diagnostic[] {
  const doc = view.state.doc;
  return problems.map((problem) => {
    const from = offset(doc, problem.place);
    const to = Math.max(from, offset(doc, { line: problem.place.end_line, column: problem.place.end_column }));
    const fix = problem.fix;
    return {
      from, to, severity: problem.severity, message: problem.message,
      renderMessage() {
        const box = document.createElement('div');
        box.textContent = problem.message;
        if (problem.hint) {
          const hint = box.appendChild(document.createElement('div'));
          hint.textContent = `Try: ${problem.hint}`;
          hint.style.color = 'var(--muted)';
          hint.style.marginTop = '2px';
        }
        return box;
      },
      ...(fix ? { actions: [{ name: fix.title.replaceAll('`', ''), apply: (target: EditorView) => applyFix(target, fix) }] } : {}),
    };
  });
}

const changesOf = (doc: Text, edits: Fix['edits']) => edits.map((edit) => ({ from: offset(doc, edit.from), to: offset(doc, edit.to), insert: edit.text }));

function writeEdits(view: EditorView, edits: Fix['edits']): void {
  const changes = changesOf(view.state.doc, edits);
  const [first] = changes;
  if (!first) return;
  view.dispatch({ changes, userEvent: 'input.write', annotations: isolateHistory.of('full'), effects: EditorView.scrollIntoView(first.from, { y: 'nearest', yMargin: 48 }) });
}

export function applyFix(view: EditorView, fix: Fix): void {
  const changes = changesOf(view.state.doc, fix.edits);
  const last = changes.at(-1);
  view.dispatch({ changes, userEvent: 'input.fix', scrollIntoView: true });
  if (last) view.dispatch({ selection: { anchor: Math.min(view.state.doc.length, last.from + last.insert.length) } });
  view.focus();
}

const KEPT_FIELDS = { history: historyField, ends: endsField };

/** What outlives an editor: text, cursor, undo and scroll, as values. A state would hold its editor, and that the one before it. */
class Kept {
  readonly state: unknown;
  readonly scroll: StateEffect<unknown>;
  constructor(state: unknown, scroll: StateEffect<unknown>) {
    this.state = state;
    this.scroll = scroll;
  }
}

function extensionsOf(label: string, language: Language, documentType: string | undefined, readOnly: boolean, onText: (text: string) => void, onCursor: (offset: number) => void, definitions: () => readonly Named[]): Extension {
  return [
    litField, lintGutter(), keymap.of(lintKeymap.filter((key) => key.key !== 'F8')), editing(language), documentType === undefined ? [] : assist(documentType, definitions),
    EditorState.readOnly.of(readOnly),
    EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', autocapitalize: 'off', autocorrect: 'off' }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged || endsChanged(update.startState, update.state)) onText(textOf(update.state));
      if (update.selectionSet) onCursor(inText(update.state, update.state.selection.main.head));
    }),
  ];
}

function opened(parent: HTMLElement, extensions: Extension, text: string, kept: Kept | null): EditorView {
  if (kept === null) return new EditorView({ parent, state: EditorState.create({ doc: text, extensions: [remembers(text), extensions] }) });
  return new EditorView({ parent, state: EditorState.fromJSON(kept.state, { extensions: [remembers(''), extensions] }, KEPT_FIELDS), scrollTo: kept.scroll });
}

/** The smallest change from one text to another, so that cursor and folds stay where they are. */
export function smallestChange(from: string, to: string): { from: number; to: number; insert: string } {
  let start = 0;
  const shorter = Math.min(from.length, to.length);
  while (start < shorter && from.charCodeAt(start) === to.charCodeAt(start)) start += 1;
  let end = 0;
  while (end < shorter - start && from.charCodeAt(from.length - 1 - end) === to.charCodeAt(to.length - 1 - end)) end += 1;
  return { from: start, to: from.length - end, insert: to.slice(start, to.length - end) };
}

export function CodeEditor({ label, language, text, onText, problems, judged, lit = null, showLit = false, readOnly = false, documentType, kept, keep, onCursor, definitions, handle, autoFocus }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const newest = useRef({ onText, keep, onCursor, definitions });
  newest.current = { onText, keep, onCursor, definitions };

  useEffect(() => {
    if (!place.current) return;
    const heard = newest;
    const extensions = extensionsOf(label, language, documentType, readOnly, (typed) => heard.current.onText(typed), (offset) => heard.current.onCursor?.(offset), () => heard.current.definitions ?? []);
    const made = opened(place.current, extensions, text, kept instanceof Kept ? kept : null);
    view.current = made;
    if (autoFocus) made.focus();
    return () => {
      heard.current.keep?.(new Kept(made.state.toJSON(KEPT_FIELDS), made.scrollSnapshot()));
      made.destroy();
      view.current = null;
    };
    // The text, problems and lit line follow in effects of their own.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [language, label, readOnly]);

  useEffect(() => {
    const editor = view.current;
    if (!editor) return;
    if (textOf(editor.state) === text) return;
    const changes = smallestChange(editor.state.doc.toString(), linesOf(text).join('\n'));
    editor.dispatch({ changes, effects: takesEnds(text), userEvent: 'outside' });
  }, [text]);

  useEffect(() => {
    const editor = view.current;
    if (editor && textOf(editor.state) === judged) editor.dispatch(setDiagnostics(editor.state, diagnostics(editor, problems)));
  }, [problems, judged, language, readOnly]);

  useEffect(() => { view.current?.dispatch({ effects: lightLine.of(lit) }); }, [lit, language, readOnly]);

  const shown = useRef(false);
  useEffect(() => {
    const editor = view.current;
    if (!editor || !showLit || lit === null || shown.current || lit > editor.state.doc.lines) return;
    shown.current = true;
    editor.dispatch({ effects: EditorView.scrollIntoView(editor.state.doc.line(lit).from, { y: 'center' }) });
  }, [lit, showLit]);

  useImperativeHandle(handle, () => ({
    focus: () => view.current?.focus(),
    jump(point) {
      const editor = view.current;
      if (!editor) return;
      const at = offset(editor.state.doc, point);
      editor.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: 'center' }) });
      editor.focus();
    },
    cursor() {
      const editor = view.current;
      if (!editor) return { line: 1, column: 1 };
      const head = editor.state.selection.main.head;
      const line = editor.state.doc.lineAt(head);
      return { line: line.number, column: head - line.from + 1 };
    },
    reveal(from, to, focus) {
      const editor = view.current;
      if (!editor) return;
      const at = inEditor(editor.state, from);
      editor.dispatch({ selection: { anchor: at, head: at }, effects: EditorView.scrollIntoView(EditorSelection.range(at, inEditor(editor.state, to)), { y: 'nearest', yMargin: 40 }) });
      if (focus) editor.focus();
    },
    change(changes) {
      const editor = view.current;
      if (!editor) return;
      const here = changes.map((one) => ({ from: inEditor(editor.state, one.from), to: inEditor(editor.state, one.to), insert: one.insert }));
      editor.dispatch({ changes: here, userEvent: 'input.change' });
    },
    fix(fix) { if (view.current) applyFix(view.current, fix); },
    write(edits) { if (view.current) writeEdits(view.current, edits); },
    undo() { if (view.current) undo(view.current); },
    redo() { if (view.current) redo(view.current); },
  }), []);

  return <div ref={place} style={{ height: '100%', minHeight: 0, overflow: 'hidden' }} />;
}
