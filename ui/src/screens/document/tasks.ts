/** Tasks between their references and their places in the text. */

import type { WorkflowOutline } from '../../api/workflow';
import { unitsOf } from '../../data/bytes';

type Outline = WorkflowOutline | null | undefined;

/** The innermost task around a place of the text, by its reference. */
export function taskAt(outline: Outline, text: string, offset: number): string | null {
  if (!outline) return null;
  const units = unitsOf(text, outline.tasks.flatMap((task) => [task.whole.start, task.whole.end]));
  let found: { pointer: string; length: number } | null = null;
  outline.tasks.forEach((task, at) => {
    const from = units[at * 2] ?? 0;
    const to = units[at * 2 + 1] ?? 0;
    if (offset < from || offset >= to) return;
    if (found === null || to - from < found.length) found = { pointer: task.pointer, length: to - from };
  });
  return (found as { pointer: string } | null)?.pointer ?? null;
}

/** Where a task's name stands, and where the task ends. */
export function taskOf(outline: Outline, text: string, pointer: string): { from: number; to: number } | null {
  const task = outline?.tasks.find((one) => one.pointer === pointer);
  if (!task) return null;
  const [from = 0, to = 0] = unitsOf(text, [task.key.start, task.whole.end]);
  return { from, to };
}
