/** Ways to an event without dragging: what added a member, what grew the view, a time, an id. */

import { useEffect, useId, useRef, useState } from 'react';
import { useStudio } from '../../api/react';
import { Refusal, wordsOf } from '../../api/transport';
import type { ScrubJump } from '../../api/types';
import { Button, cx, partStyles } from '../../app/parts';
import { amount, count, localTime } from '../../words/time';
import { timeOf, typedTime } from './sizes';
import styles from './scrub.module.css';

export interface Said { words: string; found: boolean }

type Form = 'added' | 'time' | 'event';

const FORMS: Record<Form, { button: string; label: string; example: string }> = {
  added: { button: 'Added a member…', label: 'The event that added the member', example: 'its name, at the top of the view' },
  time: { button: 'At a time…', label: 'The last event at or before', example: '14:02, or 2026-10-03 14:02' },
  event: { button: 'By its id…', label: 'The event of the id', example: 'the whole id' },
};

/** A sentence that goes on after a colon. */
const lower = (words: string): string => words.slice(0, 1).toLowerCase() + words.slice(1);

export function Jumps({ name, at, end, peak, keys, chosenKey, time, land, say }: {
  name: string; at: number; end: number; peak: { index: number; bytes: number } | null;
  /** The members the view has at its top now, and the one chosen in the tree. */
  keys: readonly string[]; chosenKey: string | null;
  time: string | null; land: (index: number) => void;
  /** What a jump came to. */
  say: (said: Said | null) => void;
}) {
  const studio = useStudio();
  const list = useId();
  const [open, setOpen] = useState<Form | null>(null);
  const [text, setText] = useState('');
  const opener = useRef<HTMLButtonElement>(null);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => { if (open) field.current?.select(); }, [open]);

  const close = () => {
    setOpen(null);
    opener.current?.focus();
  };
  const jump = async (asked: ScrubJump, words: (index: number, why: string) => string, none: string): Promise<boolean> => {
    try {
      const { index, why } = await studio.scrubJump(name, asked);
      say(index === null ? { words: why ?? none, found: false } : { words: words(index, lower(why ?? '')), found: true });
      if (index !== null && index !== at) land(index);
      return index !== null;
    } catch (error) {
      say({ words: error instanceof Refusal && error.problem.status === 404 ? none : wordsOf(error), found: false });
      return false;
    }
  };
  const added = (key: string) => jump({ to: 'added', from: at, key }, (index) => `Event ${amount(index)} added \`${key}\`.`, `No event up to here added \`${key}\`.`);
  const submit = async () => {
    if (open === 'added' && text !== '') { if (await added(text)) close(); }
    if (open === 'event' && text.trim() !== '') {
      if (await jump({ to: 'event', from: at, id: text.trim() }, (index) => `It was event ${amount(index)}.`, 'The view folded no event of this id.')) close();
    }
    if (open === 'time') {
      const when = timeOf(text);
      if (when === null) say({ words: 'That is no time. Write `14:02`, `2026-10-03` or `2026-10-03 14:02:11`.', found: false });
      else if (await jump({ to: 'time', from: at, time: when }, (index) => (index === 0 ? 'No event had been folded by then.' : `Event ${amount(index)} was the last by ${localTime(when)}.`), 'No event had been folded by then.')) close();
    }
  };
  const start = (form: Form) => {
    say(null);
    setText(form === 'added' ? chosenKey ?? '' : form === 'time' && time !== null ? typedTime(time) : '');
    setOpen(open === form ? null : form);
  };

  return (
    <div className={styles.jumps} role="group" aria-label="Jump to an event">
      <span className={styles.jumpWord}>Jump to</span>
      <Button onClick={() => void jump({ to: 'grew', from: end }, (index, why) => (why === '' ? `Event ${amount(index)} grew the view most.` : `Event ${amount(index)}: ${why}`), 'No event made the view larger.')}>Grew it most</Button>
      <Button onClick={() => void jump({ to: 'shrank', from: end }, (index, why) => (why === '' ? `Event ${amount(index)} shrank the view most.` : `Event ${amount(index)}: ${why}`), 'No event made the view smaller.')}>Shrank it most</Button>
      {peak !== null && <Button title={`${count(peak.bytes, 'byte')}, after event ${amount(peak.index)}`} onClick={() => { say({ words: `After event ${amount(peak.index)} the view was largest: ${count(peak.bytes, 'byte')}.`, found: true }); if (peak.index !== at) land(peak.index); }}>Largest</Button>}
      {(Object.keys(FORMS) as Form[]).map((form) => (
        <Button key={form} aria-expanded={open === form} onClick={(event) => { opener.current = event.currentTarget; start(form); }}>{FORMS[form].button}</Button>
      ))}
      {open && (
        <form className={styles.jumpForm} onSubmit={(event) => { event.preventDefault(); void submit(); }}
          onKeyDown={(event) => { if (event.key === 'Escape') { event.stopPropagation(); close(); } }}>
          <label htmlFor={`${list}-field`}>{FORMS[open].label}</label>
          <input ref={field} id={`${list}-field`} className={cx(partStyles.input, styles.jumpField)} value={text} placeholder={FORMS[open].example} autoFocus spellCheck={false} autoComplete="off"
            list={open === 'added' ? list : undefined} onChange={(event) => setText(event.target.value)} />
          {open === 'added' && <datalist id={list}>{keys.map((key) => <option key={key} value={key} />)}</datalist>}
          <Button type="submit" look="primary">Go</Button>
          <Button onClick={close}>Close</Button>
        </form>
      )}
    </div>
  );
}
