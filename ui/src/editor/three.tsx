/** Three texts side by side: theirs, the base both began from, mine. What changed against the base is lit. */

import { Chunk } from '@codemirror/merge';
import { EditorState, Text, type Range } from '@codemirror/state';
import { Decoration, EditorView, lineNumbers } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { linesOf } from './ends';
import { reading, type Language } from './setup';
import styles from './three.module.css';

const ADDED = Decoration.line({ class: 'cm-threeAdded' });
const TOUCHED = Decoration.line({ class: 'cm-threeTouched' });

function lines(doc: Text, spans: { from: number; to: number }[], mark: Decoration): Range<Decoration>[] {
  const marks: Range<Decoration>[] = [];
  let last = -1;
  for (const span of spans.toSorted((one, other) => one.from - other.from)) {
    for (let at = Math.min(span.from, doc.length); at < Math.min(span.to, doc.length) || at === span.from; ) {
      if (span.to <= span.from) break;
      const line = doc.lineAt(at);
      if (line.from > last) { marks.push(mark.range(line.from)); last = line.from; }
      at = line.to + 1;
      if (at > doc.length) break;
    }
  }
  return marks;
}

export function Three({ theirs, base, mine, language, labels }: { theirs: string; base: string; mine: string; language: Language; labels: { theirs: string; base: string; mine: string } }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const parent = place.current;
    if (!parent) return;
    const texts = { theirs: Text.of(linesOf(theirs)), base: Text.of(linesOf(base)), mine: Text.of(linesOf(mine)) };
    const toTheirs = Chunk.build(texts.base, texts.theirs);
    const toMine = Chunk.build(texts.base, texts.mine);
    const marks = {
      theirs: lines(texts.theirs, toTheirs.map((chunk) => ({ from: chunk.fromB, to: chunk.toB })), ADDED),
      base: lines(texts.base, [...toTheirs, ...toMine].map((chunk) => ({ from: chunk.fromA, to: chunk.toA })), TOUCHED),
      mine: lines(texts.mine, toMine.map((chunk) => ({ from: chunk.fromB, to: chunk.toB })), ADDED),
    };
    const views = (['theirs', 'base', 'mine'] as const).map((which) => new EditorView({
      parent,
      state: EditorState.create({ doc: texts[which], extensions: [lineNumbers(), reading(language), EditorView.decorations.of(Decoration.set(marks[which])), EditorView.contentAttributes.of({ 'aria-label': labels[which] })] }),
    }));
    // One scroll for the three.
    const scrolled = (event: Event) => {
      const from = event.currentTarget as HTMLElement;
      for (const view of views) if (view.scrollDOM !== from && Math.abs(view.scrollDOM.scrollTop - from.scrollTop) > 1) view.scrollDOM.scrollTop = from.scrollTop;
    };
    for (const view of views) view.scrollDOM.addEventListener('scroll', scrolled, { passive: true });
    // The first change is what one wants to see.
    const first = toMine[0] ?? toTheirs[0];
    if (first) views[1]?.dispatch({ effects: EditorView.scrollIntoView(Math.min(first.fromA, texts.base.length), { y: 'center' }) });
    return () => { for (const view of views) view.destroy(); };
    // Labels follow the texts.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [theirs, base, mine, language]);
  return (
    <div className={styles.three}>
      <div className={styles.labels}><span>{labels.theirs}</span><span>{labels.base}</span><span>{labels.mine}</span></div>
      <div ref={place} className={styles.panes} />
    </div>
  );
}
