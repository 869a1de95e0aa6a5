/** Keeping the stalled event as a test case, made as small as it can be while it still stalls. */

import { useRef } from 'react';
import { useStudio } from '../../api/react';
import { Refusal, wordsOf } from '../../api/transport';
import type { KeptCase, StallDetail } from '../../api/types';
import { ToneIcon } from '../../app/icons';
import { Button, Field, IconButton, cx, partStyles } from '../../app/parts';
import { NAME } from '../../words/kinds';
import { caseName, keptWords, nextName } from '../../words/view';
import styles from './bench.module.css';

export interface Keeping {
  open: boolean;
  name: string;
  busy: boolean;
  kept: KeptCase | null;
  failed: string | null;
}

export const NOT_KEEPING: Keeping = { open: false, name: '', busy: false, kept: null, failed: null };

/** The form opened, with a name. */
export const keepingOf = ({ kind, event }: Pick<StallDetail, 'kind' | 'event'>): Keeping => ({ ...NOT_KEEPING, open: true, name: caseName(kind, String(event['type'] ?? '')) });

export function KeepButton({ keeping, set, stall }: { keeping: Keeping; set: (next: Keeping) => void; stall: StallDetail }) {
  return (
    <Button icon="plus" className={styles.keepButton} aria-expanded={keeping.open} title="Keep these events as a case: a test in the folder that this view must pass from now on"
      onClick={() => set(keeping.open ? { ...keeping, open: false } : keepingOf(stall))}>
      Keep as a case
    </Button>
  );
}

export function KeepForm({ name, text, keeping, set }: { name: string; text: string; keeping: Keeping; set: (next: Keeping) => void }) {
  const studio = useStudio();
  const newest = useRef(keeping);
  newest.current = keeping;
  const wrong = keeping.name !== '' && !NAME.test(keeping.name);
  const keep = async () => {
    if (wrong || keeping.name === '' || keeping.busy) return;
    set({ ...keeping, busy: true, failed: null });
    try {
      const kept = await studio.keepCase(name, text, keeping.name);
      set({ ...newest.current, busy: false, kept });
    } catch (error) {
      const taken = error instanceof Refusal && error.problem.status === 409;
      set({ ...newest.current, busy: false, failed: wordsOf(error), ...(taken ? { name: nextName(keeping.name) } : {}) });
    }
  };
  if (keeping.kept) {
    return (
      <div className={styles.keep} role="status">
        <span className={cx(partStyles.sign, partStyles.good)}><ToneIcon tone="good" />Kept</span>
        <p>Written to <code>{keeping.kept.path}</code> <IconButton small icon="copy" label="Copy the path of the case" onClick={() => void navigator.clipboard?.writeText(keeping.kept?.path ?? '')} />
          <br />{keptWords(keeping.kept)} <code>playbook test</code> runs it.</p>
        <Button onClick={() => set(NOT_KEEPING)}>Close</Button>
      </div>
    );
  }
  return (
    <form className={styles.keep} aria-label="Keep these events as a case" onSubmit={(event) => { event.preventDefault(); void keep(); }}
      onKeyDown={(event) => { if (event.key === 'Escape') { event.stopPropagation(); set(NOT_KEEPING); } }}>
      <Field label="Name of the case" problem={wrong ? '3 to 48 lowercase letters, digits and hyphens, a letter first.' : keeping.failed ?? undefined}
        note={<>Goes to <code>tests/recall/{name}/{keeping.name === '' ? '…' : keeping.name}.yaml</code>, with the event made as small as it can be while it still stalls. It expects what the text on screen makes of it.</>}>
        {(given) => <input {...given} className={partStyles.input} value={keeping.name} autoFocus spellCheck={false} autoComplete="off" onChange={(event) => set({ ...keeping, name: event.target.value, failed: null })} />}
      </Field>
      <div className={styles.keepBar}>
        <Button type="submit" look="primary" why={keeping.busy ? 'It is being made smaller.' : wrong || keeping.name === '' ? 'It needs a name.' : undefined}>{keeping.busy ? 'Making it smaller' : 'Keep'}</Button>
        <Button onClick={() => set(NOT_KEEPING)}>Cancel</Button>
      </div>
    </form>
  );
}
