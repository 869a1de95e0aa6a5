/** The steps of a workflow: the drawing, and what can be done with the chosen one, each an edit of the text. */

import { lazy, useCallback, useEffect, useRef, useState } from 'react';
import type { KeyboardEvent } from 'react';
import { wordsOf } from '../../../api/transport';
import type { Operation, OutlineTask, WorkflowOutline } from '../../../api/workflow';
import { keysPressed } from '../../../app/commands';
import { Icon } from '../../../app/icons';
import { Grip } from '../../../app/grip';
import { Band, Blank, Button, IconButton, partStyles } from '../../../app/parts';
import { change, useSettings } from '../../../app/settings';
import { useWorkspace } from '../../../app/workspace';
import type { Draft } from '../../../data/drafts';
import { Bar, type Acts } from './bar';
import { Labelled, fieldKeys, useTyped, type Apply } from './field';
import { TaskForm } from './form';
import { KIND_ICONS, type Kind, type Named } from './kinds';
import { besides, kindWord, moveBy, standingOf, tasksOf } from './outline';
import styles from './steps.module.css';
import type { TaskChoice } from './use-tasks';

const Flowchart = lazy(() => import('../../../diagram/flowchart').then((chunk) => ({ default: chunk.Flowchart })));

export function Steps({ draft, tasks, readOnly, stamp }: { draft: Draft; tasks: TaskChoice; readOnly: boolean; stamp: React.ReactNode }) {
  const { folder } = useWorkspace();
  const chart = (draft.lastGood ?? draft.check).workflow?.flowchart ?? null;
  const { outline, text } = tasks.known;
  const chosen = outline?.tasks.find((task) => task.pointer === tasks.chosen) ?? null;
  const [refused, setRefused] = useState<string | null>(null);
  const [said, setSaid] = useState('');
  const fields = useRef<HTMLDivElement>(null);
  const drawing = useRef<HTMLDivElement>(null);
  const [naming, setNaming] = useState(false);
  /** How many steps went: the one that takes the place of another has fields of its own. */
  const [gone, setGone] = useState(0);
  const place = chosen === null ? '' : `${gone} ${chosen.pointer.slice(0, chosen.pointer.lastIndexOf('/'))}`;
  const callable: Named[] = folder.documents.filter((one) => one.type !== 'prediction').map((one) => ({ type: one.type, name: one.name }));

  const { edit } = tasks;
  const apply: Apply = useCallback((operations) => { setRefused(null); return edit(operations); }, [edit]);
  /** For what has no field of its own to say why it was refused. */
  const act = useCallback((operations: readonly Operation[], words: string, next?: string | null): Promise<boolean> =>
    apply(operations).then((changed) => {
      if (changed) setSaid(words);
      if (changed && next !== undefined) tasks.choose(next);
      return changed;
    }, (error: unknown) => { setRefused(wordsOf(error)); return false; }), [apply, tasks]);

  const name = () => toInput(fields.current?.querySelector('input') ?? null);
  // A step that was just added is named first.
  useEffect(() => { if (naming && chosen !== null) { setNaming(false); name(); } }, [naming, chosen]);

  const acts: Acts = {
    up: () => { const move = outline && chosen && moveBy(outline, chosen.pointer, -1); if (move) void act([move], 'Moved up.'); },
    down: () => { const move = outline && chosen && moveBy(outline, chosen.pointer, 1); if (move) void act([move], 'Moved down.'); },
    duplicate: () => { if (chosen) void act([{ do: 'duplicate', task: chosen.pointer }], `Duplicated ${chosen.name}.`); },
    wrap: () => { if (chosen) void act([{ do: 'wrap', task: chosen.pointer }], `Wrapped ${chosen.name} in a try.`); },
    remove: () => { if (outline && chosen) void act([{ do: 'delete', task: chosen.pointer }], `Deleted ${chosen.name}. Undo brings it back.`, besides(outline, chosen.pointer)).then((changed) => { if (changed) setGone(gone + 1); }); },
    rename: name,
  };
  const key = (event: KeyboardEvent): boolean => {
    const keys = keysPressed(event.nativeEvent);
    if (keys === 'Mod+Z') { tasks.undo(); return true; }
    if (keys === 'Mod+Shift+Z' || keys === 'Mod+Y') { tasks.redo(); return true; }
    if (chosen === null || readOnly) return false;
    const found = { 'F2': acts.rename, 'Delete': acts.remove, 'Backspace': acts.remove, 'Alt+ArrowUp': acts.up, 'Alt+ArrowDown': acts.down, 'D': acts.duplicate, 'W': acts.wrap }[keys];
    found?.();
    return found !== undefined;
  };
  const height = useSettings().steps;
  const guarded: Apply = (operations) => apply(operations).catch((error: unknown) => { setRefused(wordsOf(error)); throw error; });

  return (
    <div className={styles.steps}>
      {stamp}
      <div ref={drawing} className={styles.drawing}>
        {chart === null
          ? <Blank icon="workflow" title="No drawing yet">It is drawn from the steps once the text is valid.</Blank>
          : <Flowchart chart={chart} label={`Steps of ${draft.name}`} chosen={tasks.chosen} choose={tasks.choose} open={tasks.open} leave={tasks.leave} keys={key} stale={draft.lastGood !== null && draft.lastGood !== draft.check} />}
      </div>
      {outline === null
        ? <Band tone="info" role="note">The text is no YAML at the moment, so steps can only be changed in it.</Band>
        : (
          <>
            <Grip label="Height of the form" axis="row" grows="before" size={height} least={80} most={720} resize={(steps) => change({ steps })} />
            <section className={styles.form} aria-label="Form of the step" style={{ height }}>
              <Bar outline={outline} task={chosen} workflow={draft.name} definitions={callable} choose={tasks.choose} apply={guarded} acts={acts} readOnly={readOnly} added={() => { setNaming(true); setSaid('Added.'); }} />
              <p role="status" className="visually-hidden">{said}</p>
              {refused !== null && <Band tone="bad" role="alert" actions={<IconButton small icon="close" label="Close" onClick={() => setRefused(null)} />}>{refused}</Band>}
              <div ref={fields} className={styles.scroll} onKeyDown={(event) => { if (event.key === 'Escape' && !event.defaultPrevented) drawing.current?.querySelector<HTMLElement>('[role=listbox]')?.focus(); }}>
                {chosen === null
                  ? <NoTask outline={outline} readOnly={readOnly} start={() => void act([{ do: 'add', list: '/do', at: 0, name: 'first', task: { set: { value: '${ $data }' } } }], 'Added.')} />
                  : (
                    <>
                      <Heading key={`name ${place}`} task={chosen} readOnly={readOnly} apply={apply} open={() => tasks.open(chosen.pointer)} />
                      <TaskForm place={place} within={{
                        task: chosen, text, problems: draft.check.problems, apply, act: guarded, readOnly,
                        others: tasksOf(outline, standingOf(chosen.pointer).list).map((one) => one.name).filter((one) => one !== chosen.name),
                        definitions: callable,
                      }} />
                    </>
                  )}
              </div>
            </section>
          </>
        )}
    </div>
  );
}

/** A menu gives the focus back where it was when it closes, which can be later than what was chosen in it is done. */
function toInput(input: HTMLInputElement | null, frames = 20): void {
  if (!input) return;
  input.focus();
  input.select();
  requestAnimationFrame(() => {
    const now = document.activeElement;
    if (frames > 0 && now !== input && (now === document.body || now?.closest('[role=menu], [aria-haspopup]'))) toInput(input, frames - 1);
  });
}

function NoTask({ outline, readOnly, start }: { outline: WorkflowOutline; readOnly: boolean; start: () => void }) {
  if (outline.tasks.length === 0) return <Blank title="No steps yet" actions={!readOnly && <Button look="primary" icon="plus" onClick={start}>Add the first step</Button>}>A workflow runs the steps under <code>do</code>, in order.</Blank>;
  return <p className={styles.hint}>Choose a step in the drawing, in the text or in the list above. Each change here is a change of the text, which undo takes back.</p>;
}

/** The step's kind and name. */
function Heading({ task, readOnly, apply, open }: { task: OutlineTask; readOnly: boolean; apply: Apply; open: () => void }) {
  const typed = useTyped(task.name, (name) => apply([{ do: 'rename', task: task.pointer, name }]));
  return (
    <div className={styles.heading}>
      <span className={styles.kind}><Icon name={KIND_ICONS[task.kind as Kind] ?? 'file'} />{kindWord(task.kind)}</span>
      <IconButton small icon="pen" label="Go to its text" title="Go to its text (Enter in the drawing)" onClick={open} />
      <Labelled label="Name" problems={[]} refused={typed.refused}>
        {(given) => <input {...given} type="text" spellCheck={false} readOnly={readOnly} className={partStyles.input} value={typed.value} onChange={(event) => typed.set(event.target.value)} onBlur={() => void typed.commit()} onKeyDown={fieldKeys(typed, false)} />}
      </Labelled>
    </div>
  );
}
