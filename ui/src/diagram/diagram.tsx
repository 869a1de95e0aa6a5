/**
 * An author's or a generated Mermaid text as a picture. Drawn in strict mode and shown as an image,
 * so that nothing in it can act. The last good picture stays, greyed, while the text is wrong.
 */

import { useEffect, useState } from 'react';
import { useDark } from '../app/settings';
import { Band } from '../app/parts';
import styles from './diagram.module.css';

interface Picture { source: string; url: string; width: number }

let turn = 0;
let queue: Promise<unknown> = Promise.resolve();

async function draw(text: string, theme: 'light' | 'dark'): Promise<Picture> {
  const mermaid = (await import('mermaid')).default;
  mermaid.initialize({
    startOnLoad: false, securityLevel: 'strict', suppressErrorRendering: true, htmlLabels: false, theme: 'base',
    flowchart: { htmlLabels: false, curve: 'basis', padding: 10, nodeSpacing: 34, rankSpacing: 38, useMaxWidth: false },
    fontFamily: 'system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif',
    themeVariables: theme === 'dark'
      ? { darkMode: true, background: '#15181b', primaryColor: '#21262b', primaryBorderColor: '#5f8f98', primaryTextColor: '#e3e6e9', lineColor: '#8b96a0', secondaryColor: '#1d3136', tertiaryColor: '#1a1e22', fontSize: '13px', edgeLabelBackground: '#15181b' }
      : { background: '#ffffff', primaryColor: '#f3f8f9', primaryBorderColor: '#5b949e', primaryTextColor: '#1c2024', lineColor: '#59626a', secondaryColor: '#e4f0f2', tertiaryColor: '#f5f5f3', fontSize: '13px', edgeLabelBackground: '#ffffff' },
  });
  turn += 1;
  const { svg } = await mermaid.render(`picture-${turn}`, text);
  const box = /viewBox="[-\d.]+ [-\d.]+ ([\d.]+) ([\d.]+)"/.exec(svg);
  // As an image it runs no script and loads nothing.
  const sized = svg.replace(/<br>/g, '<br/>');
  return { source: text, url: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(sized)}`, width: Math.ceil(Number(box?.[1] ?? 400)) };
}

export function Diagram({ text, label, stale = false }: { text: string; label: string; stale?: boolean }) {
  const dark = useDark();
  const [picture, setPicture] = useState<Picture | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    let wanted = true;
    // One drawing at a time: mermaid keeps its settings in one place.
    queue = queue.then(async () => {
      if (!wanted) return;
      try {
        const drawn = await draw(text, dark ? 'dark' : 'light');
        if (wanted) { setPicture(drawn); setProblem(null); }
      } catch (error) {
        if (wanted) setProblem(error instanceof Error ? error.message.split('\n')[0] ?? 'It is not a diagram.' : 'It is not a diagram.');
      }
    });
    return () => { wanted = false; };
  }, [text, dark]);

  return (
    <figure className={styles.figure}>
      {picture
        ? <div className={styles.frame} tabIndex={0} role="group" aria-label={label}><img src={picture.url} alt={label} style={{ ['--natural' as string]: `${picture.width}px` }} className={styles.picture} data-stale={stale || problem !== null || undefined} /></div>
        : problem === null && <p className={styles.drawing}>Drawing</p>}
      {problem !== null && <Band tone="warn" inset>The diagram cannot be drawn: {problem}{picture ? ' The picture is of the last text that could.' : ''}</Band>}
      <details className={styles.source}><summary>Diagram as text</summary><pre>{text}</pre></details>
    </figure>
  );
}
