/** Every screen has an address in the hash, so that back works and a link can be kept. */

import { useSyncExternalStore } from 'react';

export type ScreenName = 'home' | 'document' | 'runs' | 'run' | 'feed' | 'views' | 'view' | 'inbox' | 'triggers' | 'publish' | 'settings';

export interface Address { screen: ScreenName; parts: string[]; fields: Record<string, string> }

const SCREENS: readonly ScreenName[] = ['home', 'document', 'runs', 'run', 'feed', 'views', 'view', 'inbox', 'triggers', 'publish', 'settings'];

export function at(screen: ScreenName, parts: string[] = [], fields: Record<string, string> = {}): Address {
  return { screen, parts, fields };
}

export function parse(hash: string): Address {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const [screen = '', ...parts] = path.split('/').map((part) => {
    try { return decodeURIComponent(part); } catch { return part; }
  });
  const known = SCREENS.find((name) => name === screen);
  return {
    screen: known ?? 'home',
    parts: known ? parts.filter((part) => part !== '') : [],
    fields: Object.fromEntries(new URLSearchParams(search)),
  };
}

export function format(address: Address): string {
  const path = [address.screen, ...address.parts].map(encodeURIComponent).join('/');
  const fields = Object.entries(address.fields).filter(([, value]) => value !== '');
  const search = fields.length > 0 ? `?${new URLSearchParams(fields).toString()}` : '';
  return `#/${path}${search}`;
}

/** The place without what is chosen in it: one tab holds all addresses with the same key. */
export const keyOf = (address: Address): string => [address.screen, ...address.parts].join('/');

let current = parse(location.hash);
const listeners = new Set<() => void>();

addEventListener('hashchange', () => {
  current = parse(location.hash);
  for (const listener of [...listeners]) listener();
});

export function go(address: Address): void {
  const hash = format(address);
  if (hash !== location.hash) location.hash = hash;
}

/** Changes what is chosen in the place without a step back for it. */
export function adjust(fields: Record<string, string | null>): void {
  const next = { ...current.fields };
  for (const [key, value] of Object.entries(fields)) {
    if (value === null || value === '') delete next[key];
    else next[key] = value;
  }
  const hash = format({ ...current, fields: next });
  if (hash === location.hash) return;
  history.replaceState(null, '', hash);
  current = parse(hash);
  for (const listener of [...listeners]) listener();
}

export const here = (): Address => current;

export function useAddress(): Address {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, here);
}
