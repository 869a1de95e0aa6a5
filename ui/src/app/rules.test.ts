// @vitest-environment node
/** The rules between the rooms of the UI, read from its imports. */
import { describe, expect, test } from 'vitest';

const texts = Object.fromEntries(
  Object.entries(import.meta.glob<string>('../**/*.{ts,tsx}', { query: '?raw', import: 'default', eager: true }))
    // Those beside this file come as `./name`, the rest as `../room/name`.
    .map(([path, source]) => [path.startsWith('./') ? `app/${path.slice(2)}` : path.slice(3), source]),
);
const files = Object.keys(texts);
const text = (name: string): string => texts[name] ?? '';

/** Where an import leads, from the root of the sources. */
function led(from: string, path: string): string {
  const parts = from.split('/').slice(0, -1);
  for (const step of path.split('/')) {
    if (step === '..') parts.pop();
    else if (step !== '.') parts.push(step);
  }
  return parts.join('/');
}
const sources = files.filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name) && !name.startsWith('testing/'));

const imports = (name: string): string[] => [...text(name).matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((found) => {
  const path = found[1] ?? '';
  return path.startsWith('.') ? led(name, path) : path;
});

describe('the rooms', () => {
  test('there is something to read', () => expect(sources.length).toBeGreaterThan(40));

  test('a screen imports no other screen', () => {
    const wrong = sources.filter((name) => name.startsWith('screens/')).flatMap((name) => {
      const own = name.split('/').slice(0, 2).join('/');
      return imports(name).filter((path) => path.startsWith('screens/') && !path.startsWith(`${own}/`)).map((path) => `${name} imports ${path}`);
    });
    expect(wrong).toEqual([]);
  });

  test('only the app names screens', () => {
    const wrong = sources.filter((name) => name !== 'app/app.tsx' && !name.startsWith('screens/')).filter((name) => imports(name).some((path) => path.startsWith('screens/')));
    expect(wrong).toEqual([]);
  });

  test('one file knows the desktop', () => {
    expect(sources.filter((name) => imports(name).some((path) => path.startsWith('@tauri-apps/')))).toEqual(['api/native.ts']);
  });

  test('the calls know no screen, no list and no words', () => {
    const wrong = sources.filter((name) => name.startsWith('api/')).flatMap((name) => imports(name).filter((path) => !path.startsWith('api/') && !['react', '@tauri-apps/api/core'].includes(path)).map((path) => `${name} imports ${path}`));
    expect(wrong).toEqual([]);
  });

  test('the editor and the drawings are loaded when first seen', () => {
    const eager = new Set<string>();
    const walk = (name: string) => {
      const file = sources.find((one) => one === name || one === `${name}.ts` || one === `${name}.tsx` || one === `${name}/index.ts`);
      if (!file || eager.has(file)) return;
      eager.add(file);
      const plain = text(file).replace(/import\('[^']+'\)/g, '').replace(/import type [^;]+;/g, '').replace(/export type [^;]+;/g, '');
      for (const found of plain.matchAll(/from '(\.[^']+)'/g)) walk(led(file, found[1] ?? ''));
      for (const found of plain.matchAll(/from '([^.'][^']*)'/g)) eager.add(found[1] ?? '');
    };
    walk('main');
    expect([...eager].filter((name) => /codemirror|lezer|mermaid|dagre|react-aria|tauri|screens\//.test(name))).toEqual([]);
    expect(eager.has('app/shell.tsx')).toBe(true);
  });

  test('nothing is sent that the desktop’s webview breaks on, and nothing waits on a stream', () => {
    const wrong = sources.filter((name) => /\bnew (?:Blob|File|FormData|EventSource|WebSocket)\b/.test(text(name)));
    expect(wrong).toEqual([]);
    
    expect(sources.filter((name) => text(name).includes('dangerouslySetInnerHTML'))).toEqual([]);
  });

  test('a file is short enough to read', () => {
    expect(sources.filter((name) => text(name).split('\n').length > 500)).toEqual([]);
  });
});
