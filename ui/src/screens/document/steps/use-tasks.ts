/** The chosen task of a workflow: where the cursor is, or what was chosen in the drawing; and edits made there. */

import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { RefObject } from 'react';
import { useStudio } from '../../../api/react';
import type { Operation } from '../../../api/workflow';
import { useWorkspace } from '../../../app/workspace';
import type { Draft } from '../../../data/drafts';
import type { EditorHandle } from '../../../editor/lazy';
import { taskAt, taskOf } from '../tasks';
import { sameTask } from './outline';

/** Which task is chosen, in the text and in the drawing at once. */
export interface TaskChoice {
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
  const edit = useCallback(async (operations: readonly Operation[]): Promise<boolean> => {
    const { key, text } = newest.current;
    const edited = await studio.edit(text, operations);
    // What was typed meanwhile stays; an edit of the text before it would undo it.
    if (drafts.get(key)?.text !== text) throw new Error('The text changed while this was being written into it. Nothing was written; do it again.');
    const changed = edited.text !== text;
    if (changed) {
      if (editor.current) editor.current.write(edited.edits);
      else drafts.type(key, edited.text);
    }
    // A case of a decision is no task: its decision stays chosen.
    if (edited.task !== null && !/\/switch\/\d+\/[^/]+$/.test(edited.task)) setChosen(edited.task);
    return changed;
  }, [studio, drafts, editor]);
  // A change elsewhere, such as an undo, can move the chosen task: it is followed by its name.
  const { check, checked, text } = draft;
  useEffect(() => {
    const outline = check.workflow?.outline;
    if (chosen !== null && outline && checked === text) setChosen(sameTask(outline, chosen));
  }, [chosen, check, checked, text]);
  const choice = useMemo((): TaskChoice => {
    const show = (key: string, focus: boolean) => {
      const { check, checked, text } = newest.current;
      const found = taskOf(check.workflow?.outline, checked, key);
      // Places of another text than the one on screen would lead astray.
      if (found && checked === text) editor.current?.reveal(found.from, found.to, focus);
    };
    return {
      chosen, edit,
      choose: (key) => { setChosen(key); if (key !== null) show(key, false); },
      open: (key) => show(key, true),
      leave: () => editor.current?.focus(),
      undo: () => editor.current?.undo(),
      redo: () => editor.current?.redo(),
    };
  }, [chosen, edit, editor]);
  const cursor = useCallback((offset: number) => {
    const { check, checked, text } = newest.current;
    if (checked === text) setChosen(taskAt(check.workflow?.outline, checked, offset));
  }, []);
  return { choice, cursor: draft.type === 'workflow' ? cursor : undefined };
}
