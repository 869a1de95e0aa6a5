/** The editor's parts, loaded when first seen. */

import { lazy } from 'react';
export type { EditorHandle } from './code-editor';
export type { Language } from './setup';

export const CodeEditor = lazy(() => import('./index').then((chunk) => ({ default: chunk.CodeEditor })));
export const CodeView = lazy(() => import('./index').then((chunk) => ({ default: chunk.CodeView })));
export const Compare = lazy(() => import('./index').then((chunk) => ({ default: chunk.Compare })));

/** The language of a document's text by its type; known without the editor. */
export function languageOf(type: string): import('./setup').Language {
  if (type === 'recall' || type === 'computation') return 'typescript-document';
  return type === 'workflow' ? 'yaml' : 'markdown-document';
}
export const Three = lazy(() => import('./index').then((chunk) => ({ default: chunk.Three })));
