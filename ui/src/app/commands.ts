/** Commands: one table for keys and palette. A command that cannot apply stays, with the reason. */

import { useEffect, useRef, useSyncExternalStore } from 'react';

export interface Command {
  id: string;
  title: string;
  group: string;
  /** Such as `Mod+S` or `Alt+ArrowLeft`; Mod is Ctrl, or Cmd on a Mac. */
  keys?: string;
  /** Why it cannot be used now. */
  why?: string | undefined;
  run: () => void;
}

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);
const tables = new Map<symbol, readonly Command[]>();
const listeners = new Set<() => void>();
let all: readonly Command[] = [];

function gather(): void {
  // A screen's command stands before the shell's of the same id.
  const seen = new Map<string, Command>();
  for (const table of [...tables.values()].reverse()) for (const command of table) if (!seen.has(command.id)) seen.set(command.id, command);
  all = [...seen.values()];
  for (const listener of [...listeners]) listener();
}

/** Offers commands while the component is shown. */
export function useCommands(commands: readonly Command[]): void {
  const key = useRef(Symbol('commands'));
  const newest = useRef(commands);
  newest.current = commands;
  const shape = commands.map((command) => `${command.id}|${command.title}|${command.why ?? ''}`).join('\n');
  useEffect(() => {
    tables.set(key.current, newest.current.map((command) => ({
      ...command,
      run: () => newest.current.find((now) => now.id === command.id)?.run(),
    })));
    gather();
  }, [shape]);
  useEffect(() => {
    const mine = key.current;
    return () => {
      tables.delete(mine);
      gather();
    };
  }, []);
}

export function useAllCommands(): readonly Command[] {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, () => all);
}

/** The keys of an event, as commands write them. */
export function keysPressed(event: Pick<KeyboardEvent, 'metaKey' | 'ctrlKey' | 'altKey' | 'shiftKey' | 'key'>): string {
  const mod = isMac ? event.metaKey : event.ctrlKey;
  const key = event.key.length === 1 ? event.key.toUpperCase() : event.key;
  return [mod && 'Mod', event.altKey && 'Alt', event.shiftKey && key.length > 1 && 'Shift', event.shiftKey && key.length === 1 && 'Shift', key]
    .filter(Boolean).join('+');
}

/** Does what a key does, later than it was pressed. */
export function runKeys(keys: string): void {
  const command = all.find((one) => one.keys === keys);
  if (command && !command.why) command.run();
}

/** Runs the command of a key. Plain letters are never taken. */
export function listen(): () => void {
  const heard = (event: KeyboardEvent) => {
    if (event.defaultPrevented) return;
    const keys = keysPressed(event);
    const command = all.find((one) => one.keys === keys);
    if (!command) return;
    event.preventDefault();
    if (!command.why) command.run();
  };
  addEventListener('keydown', heard);
  return () => removeEventListener('keydown', heard);
}

/** Keys as this system writes them. */
export function keyWords(keys: string): string {
  return keys.split('+').map((key) => {
    switch (key) {
      case 'Mod': return isMac ? '⌘' : 'Ctrl';
      case 'Alt': return isMac ? '⌥' : 'Alt';
      case 'Shift': return isMac ? '⇧' : 'Shift';
      case 'ArrowLeft': return '←';
      case 'ArrowRight': return '→';
      default: return key;
    }
  }).join(isMac ? '' : ' ');
}
