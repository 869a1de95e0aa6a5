/** Two texts side by side: theirs to read, mine to edit. Each difference can be taken over. */

import { MergeView } from '@codemirror/merge';
import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import styles from './compare.module.css';
import { endsChanged, endsWords, remembers, textOf } from './ends';
import { editing, reading, type Language } from './setup';

export function Compare({ left, leftLabel, right, rightLabel, language, onRight }: {
  left: string; leftLabel: string; right: string; rightLabel: string; language: Language;
  /** Given: the right text may be edited, and this hears of it. */
  onRight?: ((text: string) => void) | undefined;
}) {
  const place = useRef<HTMLDivElement>(null);
  const heard = useRef(onRight);
  heard.current = onRight;
  const editable = onRight !== undefined;
  useEffect(() => {
    if (!place.current) return;
    const named = (label: string) => EditorView.contentAttributes.of({ 'aria-label': label });
    const merge = new MergeView({
      parent: place.current,
      a: { doc: left, extensions: [reading(language), named(leftLabel)] },
      b: {
        doc: right,
        extensions: [
          remembers(right), editable ? editing(language) : reading(language), named(rightLabel), EditorState.readOnly.of(!editable),
          EditorView.updateListener.of((update) => { if (update.docChanged || endsChanged(update.startState, update.state)) heard.current?.(textOf(update.state)); }),
        ],
      },
      ...(editable ? { revertControls: 'a-to-b' as const } : {}),
      collapseUnchanged: { margin: 4, minSize: 6 },
      gutter: true,
    });
    return () => merge.destroy();
    // The right text is the editor's own from here on.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [left, language, editable, ...(editable ? [] : [right])]);
  // The panes show lines alone, so a difference of their ends is said.
  const ends = [endsWords(left), endsWords(right)] as const;
  const said = ends[0] === ends[1] || ends.includes('') ? ['', ''] as const : [`, ${ends[0]}`, `, ${ends[1]}`] as const;
  return (
    <div className={styles.compare}>
      <div className={styles.labels}><span>{leftLabel}{said[0]}</span><span>{rightLabel}{said[1]}</span></div>
      <div ref={place} className={styles.panes} />
    </div>
  );
}
