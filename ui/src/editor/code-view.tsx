/** A text to read: declarations, a schema, a source. */

import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { reading, type Language } from './setup';

export function CodeView({ text, language, label, wraps = 'scrolls' }: { text: string; language: Language; label: string; wraps?: 'wraps' | 'scrolls' }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!place.current) return;
    const view = new EditorView({
      parent: place.current,
      state: EditorState.create({ doc: text, extensions: [reading(language, wraps), EditorView.contentAttributes.of({ 'aria-label': label, 'aria-readonly': 'true' })] }),
    });
    return () => view.destroy();
  }, [text, language, label, wraps]);
  return <div ref={place} style={{ height: '100%', minHeight: 0, overflow: 'hidden' }} />;
}
