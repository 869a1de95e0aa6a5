/** The frame around every screen: head, tree, tabs, status. Must not know what a screen shows. */

import { Suspense, lazy, useCallback, useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { useRuntime, useStudioState } from '../api/react';
import { count } from '../words/time';
import { at, format, go, keyOf, parse, useAddress, type Address } from './address';
import { keyWords, listen, useCommands, type Command } from './commands';
import { Grip } from './grip';
import { Icon, ToneIcon, typeIcon, type IconName } from './icons';
import { IconButton, Key } from './parts';
import { change, useSettings } from './settings';
import styles from './shell.module.css';
import { DefinitionTree } from './tree';
import { useDirty, useProblems, useWorkspace, type Tab } from './workspace';

const Palette = lazy(() => import('./palette'));
const NewDefinition = lazy(() => import('./new-definition'));

export function titleOf(address: Address): { title: string; icon: IconName } {
  switch (address.screen) {
    case 'document': return { title: address.parts[1] ?? 'Document', icon: typeIcon(address.parts[0] ?? '') };
    case 'run': return { title: `Run …${(address.parts[0] ?? '').slice(-6)}`, icon: 'play' };
    case 'runs': return { title: 'Runs', icon: 'runs' };
    case 'feed': return { title: 'Feed', icon: 'feed' };
    case 'views': return { title: 'Views', icon: 'view' };
    case 'view': return { title: `View of ${address.parts[0] ?? ''}`, icon: 'view' };
    case 'inbox': return { title: 'Inbox', icon: 'inbox' };
    case 'triggers': return { title: 'Triggers', icon: 'bolt' };
    case 'publish': return { title: 'Publish', icon: 'publish' };
    case 'settings': return { title: 'Settings', icon: 'settings' };
    case 'home': return { title: 'Home', icon: 'home' };
  }
}

/** Walks the regions of the window: tree, screen, inspector, panel, status. */
function walkRegions(step: 1 | -1): void {
  const regions = [...document.querySelectorAll<HTMLElement>('[data-region]')].filter((region) => region.offsetParent !== null);
  if (regions.length === 0) return;
  // The innermost one: a screen holds regions of its own.
  const from = regions.findLastIndex((region) => region.contains(document.activeElement));
  for (let turn = 1; turn <= regions.length; turn += 1) {
    const region = regions[(from + step * turn + regions.length * 2) % regions.length];
    const target = [...region?.querySelectorAll<HTMLElement>(
      '.cm-content, [role="tab"][aria-selected="true"], [aria-activedescendant], [aria-selected="true"][tabindex="0"], a[href], button:not(:disabled), input, textarea, [tabindex="0"]') ?? []].find((one) => one.closest('[data-region]') === region && one.offsetParent !== null);
    if (target) { target.focus(); return; }
  }
}

export function Shell({ children }: { children: ReactNode }) {
  const { folder, tabs, close } = useWorkspace();
  const settings = useSettings();
  const address = useAddress();
  const [palette, setPalette] = useState<'commands' | 'places' | null>(null);
  const [creating, setCreating] = useState<string | null>(null);
  const narrow = useNarrow();
  const [sideOver, setSideOver] = useState(false);
  const sideShown = narrow ? sideOver : settings.sideShown;
  const here = keyOf(address);
  const tabAt = tabs.findIndex((tab) => tab.key === here);

  useEffect(listen, []);
  useEffect(() => { document.title = `${titleOf(address).title} – ${folder.playbook.name}`; }, [address, folder.playbook.name]);

  const commands: Command[] = [
    { id: 'palette', title: 'Command palette', group: 'Go', keys: 'Mod+K', run: () => setPalette('commands') },
    { id: 'goto', title: 'Go to a definition or place', group: 'Go', keys: 'Mod+P', run: () => setPalette('places') },
    { id: 'go.home', title: 'Home', group: 'Go', run: () => go(at('home')) },
    { id: 'go.runs', title: 'Runs', group: 'Go', run: () => go(at('runs')) },
    { id: 'go.feed', title: 'Feed', group: 'Go', run: () => go(at('feed')) },
    { id: 'go.views', title: 'Views', group: 'Go', run: () => go(at('views')) },
    { id: 'go.inbox', title: 'Inbox', group: 'Go', run: () => go(at('inbox')) },
    { id: 'go.triggers', title: 'Triggers', group: 'Go', run: () => go(at('triggers')) },
    { id: 'go.publish', title: 'Publish', group: 'Go', keys: 'Mod+Shift+S', run: () => go(at('publish')) },
    { id: 'go.settings', title: 'Settings and self-check', group: 'Go', keys: 'Mod+,', run: () => go(at('settings')) },
    { id: 'go.back', title: 'Back', group: 'Go', keys: 'Alt+ArrowLeft', run: () => history.back() },
    { id: 'go.forward', title: 'Forward', group: 'Go', keys: 'Alt+ArrowRight', run: () => history.forward() },
    { id: 'new.interaction', title: 'New interaction function', group: 'Definition', run: () => setCreating('interaction') },
    { id: 'new.computation', title: 'New computation function', group: 'Definition', run: () => setCreating('computation') },
    { id: 'new.recall', title: 'New recall function', group: 'Definition', run: () => setCreating('recall') },
    { id: 'show.side', title: sideShown ? 'Hide the tree' : 'Show the tree', group: 'Window', keys: 'Mod+B', run: () => toggleSide() },
    { id: 'show.panel', title: settings.panelShown ? 'Hide the bottom panel' : 'Show the bottom panel', group: 'Window', keys: 'Mod+J', run: () => change({ panelShown: !settings.panelShown }) },
    { id: 'show.inspector', title: settings.inspectorShown ? 'Hide the inspector' : 'Show the inspector', group: 'Window', keys: 'Mod+Alt+I', run: () => change({ inspectorShown: !settings.inspectorShown }) },
    { id: 'region.next', title: 'Next region', group: 'Window', keys: 'F6', run: () => walkRegions(1) },
    { id: 'region.previous', title: 'Previous region', group: 'Window', keys: 'Shift+F6', run: () => walkRegions(-1) },
    { id: 'tab.close', title: 'Close the tab', group: 'Window', keys: 'Mod+W', why: tabAt < 0 ? 'No tab is open.' : undefined, run: () => close(here) },
    { id: 'theme.dark', title: 'Dark', group: 'Looks', run: () => change({ theme: 'dark' }) },
    { id: 'theme.light', title: 'Light', group: 'Looks', run: () => change({ theme: 'light' }) },
    { id: 'theme.system', title: 'Light or dark as the system says', group: 'Looks', run: () => change({ theme: 'system' }) },
    ...tabs.slice(0, 9).map((tab, index): Command => ({
      id: `tab.${index + 1}`, title: `Tab ${index + 1}: ${titleOf(parse(tab.hash)).title}`, group: 'Window', keys: `Mod+${index + 1}`, run: () => go(parse(tab.hash)),
    })),
  ];
  useCommands(commands);

  function toggleSide(): void {
    if (narrow) setSideOver(!sideOver);
    else change({ sideShown: !settings.sideShown });
  }
  const went = useCallback(() => setSideOver(false), []);

  return (
    <div className={styles.shell}>
      <header className={styles.head}>
        <IconButton icon="side" label={sideShown ? 'Hide the tree' : 'Show the tree'} aria-expanded={sideShown} onClick={toggleSide} />
        <button type="button" className={styles.playbook} title={folder.path} onClick={() => go(at('home'))}>
          <b>{folder.playbook.name}</b>
        </button>
        <button type="button" className={styles.seek} onClick={() => setPalette('places')}>
          <Icon name="search" /><span>Go to or do…</span><Key>{keyWords('Mod+K')}</Key>
        </button>
        <IconButton icon="settings" label="Settings and self-check" onClick={() => go(at('settings'))} />
      </header>
      <div className={styles.body} data-side={sideShown ? 'shown' : 'hidden'} style={{ ['--side-width' as string]: `${settings.side}px` }}>
        <aside className={styles.side} data-region="tree" aria-label="Playbook">
          {sideShown && <DefinitionTree create={setCreating} went={went} />}
          {sideShown && !narrow && (
            <div className={styles.sideGrip}><Grip label="Width of the tree" size={settings.side} least={180} most={420} resize={(side) => change({ side })} /></div>
          )}
        </aside>
        <main className={styles.main}>
          {tabs.length > 0 && <TabRow tabs={tabs} here={here} close={close} />}
          <div className={styles.screen} data-region="screen">{children}</div>
        </main>
      </div>
      <StatusBar />
      <Suspense>
        {palette && <Palette kind={palette} close={() => setPalette(null)} />}
        {creating && <NewDefinition type={creating} close={() => setCreating(null)} />}
      </Suspense>
    </div>
  );
}

function useNarrow(): boolean {
  const [narrow, setNarrow] = useState(() => matchMedia('(max-width: 820px)').matches);
  useEffect(() => {
    const asked = matchMedia('(max-width: 820px)');
    const heard = () => setNarrow(asked.matches);
    asked.addEventListener('change', heard);
    return () => asked.removeEventListener('change', heard);
  }, []);
  return narrow;
}

function TabRow({ tabs, here, close }: { tabs: readonly Tab[]; here: string; close: (key: string) => void }) {
  const dirty = useDirty();
  const row = useRef<HTMLElement>(null);
  useEffect(() => {
    row.current?.querySelector<HTMLElement>('[data-chosen]')?.scrollIntoView?.({ block: 'nearest', inline: 'nearest' });
    // A tab that has just come is there only now.
  }, [here, tabs]);
  return (
    <nav className={styles.tabs} aria-label="Open" ref={row}>
      {tabs.map((tab) => {
        const { title, icon } = titleOf(parse(tab.hash));
        const unsaved = tab.key.startsWith('document/') && dirty.has(tab.key.slice('document/'.length));
        return (
          <div key={tab.key} className={styles.tab} data-chosen={tab.key === here || undefined}
            onAuxClick={(event) => { if (event.button === 1) close(tab.key); }}>
            <button type="button" className={styles.tabName} aria-current={tab.key === here ? 'page' : undefined} onClick={() => go(parse(tab.hash))}>
              <Icon name={icon} /><span>{title}</span>
              {unsaved && <span className="visually-hidden">, not on disk</span>}
            </button>
            <button type="button" className={styles.tabClose} aria-label={`Close ${title}`}
              title={unsaved ? 'Close. What you typed is kept and offered when you open it again.' : 'Close'} onClick={() => close(tab.key)}>
              {unsaved && <span className={styles.dot} />}
              <Icon name="close" />
            </button>
          </div>
        );
      })}
    </nav>
  );
}

function StatusBar() {
  const { folder } = useWorkspace();
  const { connection } = useRuntime();
  const state = useStudioState().value;
  const dirty = useDirty();
  const counted = useProblems();
  const problems = [...counted.values()].reduce((sum, one) => sum + one.errors, 0);
  const warnings = [...counted.values()].reduce((sum, one) => sum + one.warnings, 0);
  const views = folder.documents.flatMap((row) => (row.standing && row.standing.state !== 'live' ? [row] : []));
  const stalled = views.filter((row) => row.standing?.state === 'stalled');
  const firstProblem = folder.documents.find((row) => (counted.get(`${row.type}/${row.name}`)?.errors ?? 0) > 0);
  const firstView = stalled[0] ?? views[0];
  return (
    <footer className={styles.status} data-region="status" aria-label="Status">
      {firstProblem
        ? (
          <button type="button" className={styles.statusItem} data-tone="bad" onClick={() => go(at('document', [firstProblem.type, firstProblem.name]))}>
            <ToneIcon tone="bad" />{count(problems, 'problem')}
          </button>
        )
        : <span className={styles.statusItem}><ToneIcon tone="good" />No problems</span>}
      {warnings > 0 && <span className={styles.statusItem} data-tone="warn"><ToneIcon tone="warn" />{count(warnings, 'warning')}</span>}
      {firstView && (
        <button type="button" className={styles.statusItem} data-tone={stalled.length > 0 ? 'bad' : 'busy'} onClick={() => go(at('view', [firstView.name]))}>
          <ToneIcon tone={stalled.length > 0 ? 'bad' : 'busy'} />
          {stalled.length > 0 ? `${count(stalled.length, 'view')} stalled` : `${count(views.length, 'view')} not live`}
        </button>
      )}
      {dirty.size > 0 && <span className={styles.statusItem}><span className={styles.dot} />{dirty.size} not on disk</span>}
      <span className={styles.gap} />
      {state && !state.compiler.ready && (
        <button type="button" className={styles.statusItem} data-tone="warn" title={state.compiler.sentence} onClick={() => go(at('settings'))}>
          <ToneIcon tone="warn" />No compiler
        </button>
      )}
      {folder.unpublished !== null && folder.unpublished > 0 && (
        <button type="button" className={styles.statusItem} onClick={() => go(at('publish'))}><Icon name="publish" />{folder.unpublished} unpublished</button>
      )}
      <span role="status">
        {connection === 'lost' && <span className={styles.statusItem} data-tone="bad"><ToneIcon tone="bad" />Connection to the runtime lost; trying again</span>}
      </span>
    </footer>
  );
}

export const linkTo = (address: Address): string => format(address);
