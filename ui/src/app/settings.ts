/** What a person chose about the looks; kept by this browser or this app, not by the playbook. */

import { useSyncExternalStore } from 'react';

export type Theme = 'system' | 'light' | 'dark';
export type Density = 'dense' | 'roomy';

export interface Settings { theme: Theme; density: Density; side: number; inspector: number; panel: number; steps: number; sideShown: boolean; inspectorShown: boolean; panelShown: boolean }

const KEY = 'playbook.settings';
const USUAL: Settings = {
  theme: 'system', density: 'dense', side: 232, inspector: 404, panel: 190, steps: 300, sideShown: true, inspectorShown: true, panelShown: true,
};

function read(): Settings {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    if (typeof kept !== 'object' || kept === null) return USUAL;
    const given = kept as Record<string, unknown>;
    const same = Object.entries(USUAL).map(([key, usual]) => [key, typeof given[key] === typeof usual ? given[key] : usual]);
    return Object.fromEntries(same) as unknown as Settings;
  } catch {
    return USUAL;
  }
}

let settings = read();
const listeners = new Set<() => void>();

export function show(): void {
  const root = document.documentElement;
  if (settings.theme === 'system') delete root.dataset['theme'];
  else root.dataset['theme'] = settings.theme;
  root.dataset['density'] = settings.density;
}

export function change(given: Partial<Settings>): void {
  settings = { ...settings, ...given };
  try { localStorage.setItem(KEY, JSON.stringify(settings)); } catch { /* A full store loses the choice, nothing else. */ }
  show();
  for (const listener of [...listeners]) listener();
}

export const chosen = (): Settings => settings;

export function useSettings(): Settings {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, chosen);
}

/** Whether dark is shown now, for what cannot follow CSS: a drawing. */
export function useDark(): boolean {
  const { theme } = useSettings();
  const system = useSyncExternalStore(
    (listener) => {
      const asked = matchMedia('(prefers-color-scheme: dark)');
      asked.addEventListener('change', listener);
      return () => asked.removeEventListener('change', listener);
    },
    () => matchMedia('(prefers-color-scheme: dark)').matches,
  );
  return theme === 'system' ? system : theme === 'dark';
}
