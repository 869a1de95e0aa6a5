/** Where tasks stand among each other, read off their references. */

import type { Json } from '../../../api/types';
import type { Operation, OutlineTask, WorkflowOutline } from '../../../api/workflow';
import { keysOf, under } from '../../../data/json';
import { KIND_NAMES } from './kinds';

export interface Standing { list: string; at: number; name: string }

/** The list a task stands in, and its place there. */
export function standingOf(pointer: string): Standing {
  const parts = pointer.split('/');
  return { list: parts.slice(0, -2).join('/'), at: Number(parts.at(-2) ?? 0), name: keysOf(pointer).at(-1) ?? '' };
}

/** The tasks of a list, in its order. */
export function tasksOf(outline: WorkflowOutline, list: string): OutlineTask[] {
  return outline.tasks.filter((task) => standingOf(task.pointer).list === list);
}

/** The task around a task; null for one of the document's own list. */
export function around(outline: WorkflowOutline, pointer: string): OutlineTask | null {
  const { list } = standingOf(pointer);
  return outline.tasks.findLast((task) => list.startsWith(`${task.pointer}/`)) ?? null;
}

export interface InnerList { list: string; title: string }

/** The lists of tasks that a task has, or can have. */
export function listsIn(task: OutlineTask): InnerList[] {
  switch (task.kind) {
    case 'do': return [{ list: `${task.pointer}/do`, title: `In ${task.name}` }];
    case 'for': return [{ list: `${task.pointer}/do`, title: `In ${task.name}, for each item` }];
    case 'fork': return [{ list: `${task.pointer}/fork/branches`, title: `As a branch of ${task.name}` }];
    case 'try': return [{ list: `${task.pointer}/try`, title: `In ${task.name}, to be tried` }, { list: `${task.pointer}/catch/do`, title: `In ${task.name}, after an error` }];
    default: return [];
  }
}

/** Where a task stands now: where it stood, else where the one task of its name stands, in its list if there are several. */
export function sameTask(outline: WorkflowOutline, pointer: string): string | null {
  if (outline.tasks.some((task) => task.pointer === pointer)) return pointer;
  const { list, name } = standingOf(pointer);
  const named = outline.tasks.filter((task) => task.name === name);
  const found = named.find((task) => standingOf(task.pointer).list === list) ?? (named.length === 1 ? named[0] : undefined);
  return found?.pointer ?? null;
}

/** A name that no task of a list has. */
export function freeName(names: readonly string[], wanted: string): string {
  if (!names.includes(wanted)) return wanted;
  for (let count = 2; ; count += 1) if (!names.includes(`${wanted}-${count}`)) return `${wanted}-${count}`;
}

export const titleOf = (task: OutlineTask): string => `${task.number} ${task.name}`;

export const kindWord = (kind: string): string => KIND_NAMES[kind as keyof typeof KIND_NAMES] ?? 'Step';

/** What moves a task one place up or down: over its neighbour. Null at the end of its list. */
export function moveBy(outline: WorkflowOutline, pointer: string, by: -1 | 1): Operation | null {
  const { list, at } = standingOf(pointer);
  const to = at + by;
  if (to < 0 || to >= tasksOf(outline, list).length) return null;
  return { do: 'move', task: pointer, list, at: by < 0 ? to : to + 1 };
}

export interface Destination { title: string; operation: Operation }

/** The other lists that a task can move to: out of the one around it, and into its neighbours'. */
export function destinations(outline: WorkflowOutline, pointer: string): Destination[] {
  const { list, at } = standingOf(pointer);
  const found: Destination[] = [];
  const outer = around(outline, pointer);
  if (outer) {
    const stands = standingOf(outer.pointer);
    found.push({ title: `Out of ${outer.name}, before it`, operation: { do: 'move', task: pointer, list: stands.list, at: stands.at } });
    found.push({ title: `Out of ${outer.name}, after it`, operation: { do: 'move', task: pointer, list: stands.list, at: stands.at + 1 } });
    for (const other of listsIn(outer)) {
      if (other.list !== list && tasksOf(outline, other.list).length > 0) found.push({ title: other.title, operation: { do: 'move', task: pointer, list: other.list, at: 0 } });
    }
  }
  const siblings = tasksOf(outline, list);
  const before = siblings.find((task) => standingOf(task.pointer).at === at - 1);
  const after = siblings.find((task) => standingOf(task.pointer).at === at + 1);
  for (const neighbour of [before, after]) {
    if (!neighbour) continue;
    for (const inner of listsIn(neighbour)) {
      const inside = tasksOf(outline, inner.list).length;
      if (inside > 0) found.push({ title: inner.title, operation: { do: 'move', task: pointer, list: inner.list, at: neighbour === before ? inside : 0 } });
    }
  }
  return found;
}

/** The task to choose once a task is gone: the one before it, else the one after it, else the one around it. */
export function besides(outline: WorkflowOutline, pointer: string): string | null {
  const { list, at } = standingOf(pointer);
  const siblings = tasksOf(outline, list);
  const before = siblings.find((task) => standingOf(task.pointer).at === at - 1);
  if (before) return before.pointer;
  const after = siblings.find((task) => standingOf(task.pointer).at === at + 1);
  if (after) return under(`${list}/${at}`, after.name);
  return around(outline, pointer)?.pointer ?? null;
}

/** An operation that adds a task of some kind to a list. */
export function adding(outline: WorkflowOutline, list: string, at: number, name: string, task: Json): Operation {
  return { do: 'add', list, at, name: freeName(tasksOf(outline, list).map((one) => one.name), name), task };
}
