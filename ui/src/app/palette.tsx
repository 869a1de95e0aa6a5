/** The palette: every command, definition and place by its words. */

import { useEffect, useId, useMemo, useRef, useState } from 'react';
import type { KeyboardEvent } from 'react';
import { typeWords } from '../words/kinds';
import { at, go } from './address';
import { keyWords, useAllCommands } from './commands';
import { Dialog, dialogStyles as styles } from './dialog';
import { Icon, typeIcon, type IconName } from './icons';
import { Key } from './parts';
import { useWorkspace } from './workspace';

interface Choice { id: string; title: string; about: string; icon: IconName; keys?: string | undefined; why?: string | undefined; run: () => void }

/** Every letter of what was typed, in order; words that begin with it stand first. Null when it does not fit. */
export function fits(title: string, typed: string): number | null {
  const text = title.toLowerCase();
  const wanted = typed.trim().toLowerCase();
  if (wanted === '') return 0;
  const whole = text.indexOf(wanted);
  if (whole === 0) return 0;
  if (whole > 0) return /[\s/:-]/.test(text[whole - 1] ?? '') ? 1 : 2;
  let from = 0;
  let gaps = 0;
  for (const letter of wanted.replace(/\s+/g, '')) {
    const found = text.indexOf(letter, from);
    if (found < 0) return null;
    gaps += found - from;
    from = found + 1;
  }
  return 3 + gaps;
}

export default function Palette({ kind, close }: { kind: 'commands' | 'places'; close: () => void }) {
  const { folder } = useWorkspace();
  const commands = useAllCommands();
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();

  const choices = useMemo(() => {
    const places: Choice[] = folder.documents.flatMap((row): Choice[] => [
      { id: `d:${row.type}/${row.name}`, title: row.name, about: row.description ?? typeWords(row.type).one, icon: typeIcon(row.type), run: () => go(at('document', [row.type, row.name])) },
      ...(row.type === 'recall' ? [{ id: `v:${row.name}`, title: `View of ${row.name}`, about: 'What it holds, and its standing', icon: 'view' as const, run: () => go(at('view', [row.name])) }] : []),
    ]);
    const done: Choice[] = commands.filter((command) => command.id !== 'palette' && command.id !== 'goto').map((command) => ({
      id: command.id, title: command.title, about: command.why ?? command.group, icon: command.group === 'Go' ? 'right' : 'play', keys: command.keys, why: command.why, run: command.run,
    }));
    const isId = /^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(typed.trim());
    const run: Choice[] = isId ? [{ id: 'r:id', title: `Run ${typed.trim()}`, about: 'Open the run of this id', icon: 'runs', run: () => go(at('run', [typed.trim().toLowerCase()])) }] : [];
    const all = kind === 'places' ? [...run, ...places, ...done] : [...run, ...done, ...places];
    return all
      .map((choice) => ({ choice, rank: choice.id === 'r:id' ? -1 : fits(choice.title, typed) }))
      .filter((one): one is { choice: Choice; rank: number } => one.rank !== null)
      .sort((one, other) => one.rank - other.rank)
      .slice(0, 80)
      .map((one) => one.choice);
  }, [folder.documents, commands, typed, kind]);

  const now = Math.min(chosen, choices.length - 1);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView?.({ block: 'nearest' });
  }, [now]);

  const choose = (choice: Choice | undefined) => {
    if (!choice || choice.why) return;
    close();
    // After the dialog gave the focus back, so that the command may move it.
    setTimeout(choice.run, 0);
  };
  const key = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setChosen(Math.min(choices.length - 1, Math.max(0, now + step)));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      choose(choices[now]);
    }
  };

  return (
    <Dialog label={kind === 'places' ? 'Go to' : 'Commands'} look="palette" close={close}>
      <input className={styles.input} autoFocus value={typed} role="combobox" aria-expanded="true" aria-controls={`${id}-list`}
        aria-activedescendant={choices[now] ? `${id}-${now}` : undefined} aria-label={kind === 'places' ? 'Go to' : 'Command'} spellCheck={false} autoComplete="off"
        placeholder={kind === 'places' ? 'A definition, a place, a run’s id, or a command' : 'What do you want to do?'}
        onChange={(event) => { setTyped(event.target.value); setChosen(0); }} onKeyDown={key} />
      <div className={styles.list} role="listbox" id={`${id}-list`} aria-label="Choices" ref={list}>
        {choices.map((choice, index) => (
          <div key={choice.id} id={`${id}-${index}`} role="option" aria-selected={index === now} aria-disabled={choice.why ? true : undefined}
            className={styles.option} onPointerMove={() => setChosen(index)} onClick={() => choose(choice)}>
            <Icon name={choice.icon} />
            <span className={styles.title}>{choice.title}</span>
            <span className={styles.about}>{choice.about}</span>
            {choice.keys && <Key>{keyWords(choice.keys)}</Key>}
          </div>
        ))}
        {choices.length === 0 && <p className={styles.none}>Nothing is called that. A definition, a place, a command or a run’s id can be named here.</p>}
      </div>
    </Dialog>
  );
}
