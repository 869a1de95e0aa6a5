/** What can be done with the chosen step: add beside or within it, move, duplicate, wrap, delete. */

import type { OutlineTask, WorkflowOutline } from '../../../api/workflow';
import { keyWords } from '../../../app/commands';
import { Icon } from '../../../app/icons';
import { IconButton, cx, partStyles } from '../../../app/parts';
import { Menu, type Item } from '../menu';
import type { Apply } from './field';
import { KINDS, KIND_ICONS, KIND_NAMES, startOf, type Named } from './kinds';
import { adding, around, destinations, listsIn, moveBy, standingOf, tasksOf, titleOf } from './outline';
import styles from './steps.module.css';

export interface Acts { up: () => void; down: () => void; duplicate: () => void; wrap: () => void; remove: () => void; rename: () => void }

interface Props {
  outline: WorkflowOutline;
  task: OutlineTask | null;
  workflow: string;
  definitions: readonly Named[];
  choose: (pointer: string) => void;
  apply: Apply;
  acts: Acts;
  readOnly: boolean;
  /** After a step was added: its form is wanted. */
  added: () => void;
}

const unheard = () => undefined;

export function Bar({ outline, task, workflow, definitions, choose, apply, acts, readOnly, added }: Props) {
  const kinds = (id: string, list: string, at: number): Item[] => KINDS.map((kind) => {
    const callable = definitions.find((one) => one.type !== 'workflow') ?? definitions.find((one) => one.name !== workflow) ?? null;
    const { name, task: says } = startOf(kind, workflow, callable);
    return {
      id: `${id}-${kind}`, title: KIND_NAMES[kind], icon: KIND_ICONS[kind],
      ...(kind === 'call' && callable === null ? { why: 'The playbook has nothing to call yet.' } : {}),
      run: () => void apply([adding(outline, list, at, name, says)]).then((changed) => { if (changed) added(); }, unheard),
    };
  });
  const end = tasksOf(outline, '/do').length;
  const stands = task === null ? { list: '/do', at: end - 1 } : standingOf(task.pointer);
  const add: Item[] = [
    ...kinds('after', stands.list, stands.at + 1),
    ...(task === null ? [] : [
      { id: 'before', title: `Before ${task.name}`, items: kinds('before', stands.list, stands.at) },
      ...listsIn(task).map((inner, index): Item => ({ id: `in-${index}`, title: inner.title, items: kinds(`in-${index}`, inner.list, tasksOf(outline, inner.list).length) })),
    ]),
  ];
  const moves = task === null ? [] : destinations(outline, task.pointer).map((one, index): Item => ({ id: String(index), title: one.title, run: () => void apply([one.operation]).catch(unheard) }));
  const none = task === null ? 'Choose a step first' : readOnly ? 'The definition is retired' : undefined;
  const upward = none ?? (task && moveBy(outline, task.pointer, -1) === null ? 'It is the first of its list' : undefined);
  const downward = none ?? (task && moveBy(outline, task.pointer, 1) === null ? 'It is the last of its list' : undefined);
  const only = none ?? (task && tasksOf(outline, standingOf(task.pointer).list).length === 1 ? 'It is the only one of its list' : undefined);
  return (
    <div className={styles.bar} role="toolbar" aria-label="The chosen step">
      <select className={cx(partStyles.input, styles.tasks)} aria-label="Step" value={task?.pointer ?? ''} onChange={(event) => choose(event.target.value)}>
        {task === null && <option value="">No step chosen</option>}
        {outline.tasks.map((one) => <option key={one.pointer} value={one.pointer}>{`${'\u2003'.repeat(depth(outline, one))}${titleOf(one)}`}</option>)}
      </select>
      {!readOnly && <Menu label={task === null ? 'Add a step at the end' : `Add a step after ${task.name}`} placement="top start" items={add} shown={<><Icon name="plus" />Add<Icon name="down" /></>} />}
      <span className={styles.acts}>
        <Act icon="up" label="Move up" keys="Alt+ArrowUp" why={upward} act={acts.up} />
        <Act icon="down" label="Move down" keys="Alt+ArrowDown" why={downward} act={acts.down} />
        <Act icon="copy" label="Duplicate" keys="D" why={none} act={acts.duplicate} />
        <Act icon="shield" label="Wrap in a try" keys="W" why={none} act={acts.wrap} />
        <Act icon="trash" label="Delete" keys="Delete" why={only} act={acts.remove} />
        {moves.length > 0 && none === undefined && <Menu label="Move it elsewhere" placement="top start" items={moves} />}
      </span>
    </div>
  );
}

function depth(outline: WorkflowOutline, task: OutlineTask): number {
  let levels = 0;
  for (let outer = around(outline, task.pointer); outer; outer = around(outline, outer.pointer)) levels += 1;
  return levels;
}

function Act({ icon, label, keys, why, act }: { icon: 'up' | 'down' | 'copy' | 'shield' | 'trash'; label: string; keys: string; why: string | undefined; act: () => void }) {
  return <IconButton small icon={icon} label={label} title={why ? `${label}: ${why}` : `${label} (${words(keys)})`} aria-disabled={why ? true : undefined} className={why ? styles.off : undefined} onClick={() => { if (!why) act(); }} />;
}

const words = (keys: string): string => keyWords(keys).replace('ArrowUp', '↑').replace('ArrowDown', '↓');
