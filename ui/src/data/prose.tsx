/**
 * Prose that the runtime made from Markdown, as elements. The runtime sanitises it; here only known
 * elements are made again, so that nothing else can pass. Diagrams are drawn where they stand.
 */

import { createElement, useMemo } from 'react';
import type { ReactNode } from 'react';
import { Diagram } from '../diagram/diagram';
import styles from './prose.module.css';

const KNOWN = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'li', 'strong', 'em', 'b', 'i', 'code', 'pre', 'blockquote', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'del', 'sup', 'sub', 'hr', 'br', 'kbd', 'dl', 'dt', 'dd']);
const EMPTY = new Set(['hr', 'br']);
const DROPPED = new Set(['script', 'style', 'iframe', 'object', 'embed', 'svg', 'math', 'template', 'noscript', 'form', 'input', 'button', 'link', 'meta', 'img']);

function made(node: ChildNode, key: number, stale: boolean): ReactNode {
  if (node.nodeType === Node.TEXT_NODE) return node.textContent;
  if (!(node instanceof Element)) return null;
  const tag = node.localName;
  if (DROPPED.has(tag)) return null;
  if (tag === 'pre' && node.classList.contains('mermaid-source')) return <Diagram key={key} text={node.textContent ?? ''} label="Diagram of what the words above say" stale={stale} />;
  const children = EMPTY.has(tag) ? undefined : [...node.childNodes].map((child, index) => made(child, index, stale));
  if (tag === 'a') {
    const href = node.getAttribute('href') ?? '';
    return /^(?:https?:|mailto:|#)/i.test(href) ? <a key={key} href={href} target="_blank" rel="noreferrer noopener">{children}</a> : <span key={key}>{children}</span>;
  }
  // The page has its own first heading.
  const shown = /^h[1-6]$/.test(tag) ? `h${Math.min(6, Number(tag[1]) + 1)}` : tag;
  return KNOWN.has(tag) ? createElement(shown, { key }, ...(children ?? [])) : <span key={key}>{children}</span>;
}

export function Prose({ html, stale = false, label }: { html: string; stale?: boolean; label: string }) {
  const content = useMemo(() => {
    const parsed = new DOMParser().parseFromString(html, 'text/html');
    return [...parsed.body.childNodes].map((node, index) => made(node, index, stale));
  }, [html, stale]);
  return <div className={styles.prose} data-stale={stale || undefined} role="document" aria-label={label} tabIndex={0}>{content}</div>;
}
