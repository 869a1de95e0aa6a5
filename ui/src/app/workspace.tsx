/** The open folder as the screens see it: its drafts and its tabs. Must not know any screen. */

import { createContext, useContext, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { ReactNode } from 'react';
import type { Folder } from '../api/types';
import { type Draft, Drafts } from '../data/drafts';
import { type Address, format, go, keyOf, parse, useAddress } from './address';

export interface Tab { key: string; hash: string }

interface Workspace {
  folder: Folder;
  drafts: Drafts;
  tabs: readonly Tab[];
  close(key: string): void;
}

const WorkspaceContext = createContext<Workspace | null>(null);

const TABBED = new Set(['document', 'runs', 'run', 'feed', 'views', 'view', 'inbox', 'triggers', 'publish', 'settings']);

function keptTabs(path: string): Tab[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(`playbook.tabs:${path}`) ?? '[]');
    if (!Array.isArray(kept)) return [];
    return kept.flatMap((hash: unknown) => (typeof hash === 'string' ? [{ key: keyOf(parse(hash)), hash }] : []));
  } catch {
    return [];
  }
}

export function WorkspaceProvider({ folder, children }: { folder: Folder; children: ReactNode }) {
  const address = useAddress();
  const drafts = useMemo(() => new Drafts(folder.path), [folder.path]);
  const [tabs, setTabs] = useState<readonly Tab[]>(() => keptTabs(folder.path));

  useEffect(() => {
    if (!TABBED.has(address.screen)) return;
    const tab: Tab = { key: keyOf(address), hash: format(address) };
    setTabs((before) => {
      const known = before.findIndex((one) => one.key === tab.key);
      if (known < 0) return [...before, tab];
      return before[known]?.hash === tab.hash ? before : before.with(known, tab);
    });
  }, [address]);

  useEffect(() => {
    try { localStorage.setItem(`playbook.tabs:${folder.path}`, JSON.stringify(tabs.map((tab) => tab.hash))); } catch { /* Tabs are a comfort. */ }
  }, [tabs, folder.path]);

  const value = useMemo<Workspace>(() => ({
    folder, drafts, tabs,
    close(key) {
      const known = tabs.findIndex((tab) => tab.key === key);
      const left = tabs.filter((tab) => tab.key !== key);
      setTabs(left);
      if (keyOf(address) === key) {
        const next: Tab | undefined = left[Math.min(known, left.length - 1)];
        go(next ? parse(next.hash) : HOME);
      }
    },
  }), [folder, drafts, tabs, address]);
  return <WorkspaceContext value={value}>{children}</WorkspaceContext>;
}

const HOME: Address = { screen: 'home', parts: [], fields: {} };

export function useWorkspace(): Workspace {
  const workspace = useContext(WorkspaceContext);
  if (!workspace) throw new Error('A screen stands outside an open folder.');
  return workspace;
}

export function useDirty(): ReadonlySet<string> {
  const { drafts } = useWorkspace();
  return useSyncExternalStore(drafts.subscribe, drafts.dirty);
}

/** Problems of a document as its last check found them. */
export interface Counted { errors: number; warnings: number }

/**
 * The problems of each document: of the text on screen where that is not on disk, of the file
 * otherwise. The status bar, the tree and the document then say the same.
 */
export function useProblems(): ReadonlyMap<string, Counted> {
  const { folder, drafts } = useWorkspace();
  const typed = useSyncExternalStore(drafts.subscribe, drafts.problems);
  return useMemo(() => new Map(folder.documents.map((row) => {
    const key = `${row.type}/${row.name}`;
    return [key, typed.get(key) ?? { errors: row.problems, warnings: row.warnings }];
  })), [folder.documents, typed]);
}

export function useDraft(key: string): Draft | undefined {
  const { drafts } = useWorkspace();
  return useSyncExternalStore(drafts.subscribe, () => drafts.get(key));
}
