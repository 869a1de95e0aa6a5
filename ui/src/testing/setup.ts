/** What jsdom lacks and the components ask for. */
import { cleanup, configure } from '@testing-library/react';
import { afterEach, vi } from 'vitest';

const page = typeof document !== 'undefined';

// How long a test waits for what has to come, on a machine that does other things too.
configure({ asyncUtilTimeout: 10_000 });

globalThis.matchMedia ??= ((query: string) => ({
  matches: false, media: query, onchange: null,
  addEventListener: () => undefined, removeEventListener: () => undefined,
  addListener: () => undefined, removeListener: () => undefined, dispatchEvent: () => false,
})) as typeof matchMedia;

if (page) {
  Range.prototype.getClientRects = () => [] as unknown as DOMRectList;
  Range.prototype.getBoundingClientRect = () => new DOMRect();
  globalThis.CSS ??= { escape: (text: string) => text.replace(/[^\w-]/g, (one) => `\\${one}`) } as typeof CSS;
  // The chosen rows are scrolled to; jsdom has no layout to scroll.
  Element.prototype.scrollIntoView ??= () => undefined;
}

afterEach(() => {
  vi.useRealTimers();
  if (!page) return;
  cleanup();
  localStorage.clear();
  location.hash = '';
});
