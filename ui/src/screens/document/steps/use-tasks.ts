/** The chosen task of a workflow: where the cursor is, or what was chosen in the drawing; and edits made there. */

import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { RefObject } from 'react';
import { useStudio } from '../../../api/react';
import type { Operation, WorkflowOutline } from '../../../api/workflow';
import { useWorkspace } from '../../../app/workspace';
import type { Draft } from '../../../data/drafts';
import type { EditorHandle } from '../../../editor/lazy';
import { taskAt, taskOf } from '../tasks';
import { sameTask } from './outline';

export interface Known { text: string; outline: WorkflowOutline | null }

/** Which task is chosen, in the text and in the drawing at once. */
export interface TaskChoice {
  /** The newest text whose tasks are known, and these; null while it is no YAML. */
  known: Known;
  chosen: string | null;
  choose: (key: string | null) => void;
  open: (key: string) => void;
  leave: () => void;
  /** Makes edits in the text on the screen, as one step for undo; false when the text already says so. */
  edit: (operations: readonly Operation[]) => Promise<boolean>;
  undo: () => void;
  redo: () => void;
}

export function useTasks(draft: Draft, editor: RefObject<EditorHandle | null>): { choice: TaskChoice; cursor: ((offset: number) => void) | undefined } {
  const [chosen, setChosen] = useState<string | null>(null);
  const studio = useStudio();
  const { drafts } = useWorkspace();
  const newest = useRef(draft);
  newest.current = draft;
  // An edit's answer knows the tasks of its text before the check does.
  const [read, setRead] = useState<Known | null>(null);
  const { check, checked, text } = draft;
  const known = useMemo((): Known => (read !== null && read.text === text ? read : { text: checked, outline: check.workflow?.outline ?? null }), [read, text, checked, check]);
  const newestKnown = useRef(known);
  newestKnown.current = known;
  const edit = useCallback(async (operations: readonly Operation[]): Promise<boolean> => {
    const { key, text } = newest.current;
    const edited = await studio.edit(text, operations);
    // What was typed meanwhile stays; an edit of the text before it would undo it.
    if (drafts.get(key)?.text !== text) throw new Error('The text changed while this was being written into it. Nothing was written; do it again.');
    const changed = edited.text !== text;
    if (changed) {
      setRead({ text: edited.text, outline: edited.outline });
      if (editor.current) editor.current.write(edited.edits);
      else drafts.type(key, edited.text);
    }
    // A case of a decision is no task: its decision stays chosen.
    if (edited.task !== null && !/\/switch\/\d+\/[^/]+$/.test(edited.task)) setChosen(edited.task);
    return changed;
  }, [studio, drafts, editor]);
  // A change elsewhere, such as an undo, can move the chosen task: it is followed by its name.
  useEffect(() => {
    if (chosen !== null && known.outline && known.text === text) setChosen(sameTask(known.outline, chosen));
  }, [chosen, known, text]);
  /** Asks for the tasks of the text on the screen, sooner than its check; without an answer the check tells them. */
  const readNow = useCallback(() => {
    const now = drafts.get(newest.current.key)?.text;
    if (now !== undefined) studio.edit(now, []).then((answer) => setRead({ text: now, outline: answer.outline }), () => undefined);
  }, [studio, drafts]);
  const choice = useMemo((): TaskChoice => {
    const show = (key: string, focus: boolean) => {
      const { outline, text: of } = newestKnown.current;
      const found = taskOf(outline, of, key);
      // Places of another text than the one on screen would lead astray.
      if (found && of === newest.current.text) editor.current?.reveal(found.from, found.to, focus);
    };
    return {
      chosen, edit, known,
      choose: (key) => { setChosen(key); if (key !== null) show(key, false); },
      open: (key) => show(key, true),
      leave: () => editor.current?.focus(),
      undo: () => { editor.current?.undo(); readNow(); },
      redo: () => { editor.current?.redo(); readNow(); },
    };
  }, [chosen, edit, editor, known, readNow]);
  const cursor = useCallback((offset: number) => {
    const { outline, text: of } = newestKnown.current;
    // The draft has a change before the screen is drawn again.
    if (of === drafts.get(newest.current.key)?.text) setChosen(taskAt(outline, of, offset));
  }, [drafts]);
  return { choice, cursor: draft.type === 'workflow' ? cursor : undefined };
}
