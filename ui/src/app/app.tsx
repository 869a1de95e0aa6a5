/** Chooses the screen of the address. The one place that names all screens. */

import { Component, Suspense, lazy } from 'react';
import type { ReactNode } from 'react';
import { RuntimeProvider, useFolder, useRuntime, useStudioState } from '../api/react';
import { paths } from '../api/studio';
import { httpTransport, wordsOf, type Transport } from '../api/transport';
import { useAddress, type Address } from './address';
import styles from './app.module.css';
import { Band, Blank, Button, Failure, Loading } from './parts';
import { Shell } from './shell';
import { WorkspaceProvider } from './workspace';

const Home = lazy(() => import('../screens/home/home'));
const DocumentScreen = lazy(() => import('../screens/document/document'));
const Runs = lazy(() => import('../screens/runs/runs'));
const RunScreen = lazy(() => import('../screens/run/run'));
const Feed = lazy(() => import('../screens/feed/feed'));
const Views = lazy(() => import('../screens/view/views'));
const View = lazy(() => import('../screens/view/view'));
const Inbox = lazy(() => import('../screens/inbox/inbox'));
const Triggers = lazy(() => import('../screens/triggers/triggers'));
const Publish = lazy(() => import('../screens/publish/publish'));
const Settings = lazy(() => import('../screens/settings/settings'));

function Screen({ address }: { address: Address }) {
  const [first = '', second = ''] = address.parts;
  switch (address.screen) {
    case 'home': return <Home />;
    case 'document': return <DocumentScreen key={`${first}/${second}`} type={first} name={second} />;
    case 'runs': return <Runs />;
    case 'run': return <RunScreen key={first} id={first} />;
    case 'feed': return <Feed />;
    case 'views': return <Views />;
    case 'view': return <View key={first} name={first} />;
    case 'inbox': return <Inbox />;
    case 'triggers': return <Triggers />;
    case 'publish': return <Publish />;
    case 'settings': return <Settings />;
  }
}

function Studio() {
  const state = useStudioState();
  const { store } = useRuntime();
  const address = useAddress();
  if (!state.value) {
    return state.error
      ? <Failure title="The runtime does not answer" error={state.error} again={() => void store.refresh(paths.state)} />
      : <Loading what="Starting" />;
  }
  const folder = state.value.folder;
  if (!folder) return <Suspense fallback={<Loading what="Opening" />}><Home /></Suspense>;
  return (
    <OpenFolder key={folder.path}>
      <Shell>
        <Broken key={address.screen + address.parts.join('/')}>
          <Suspense fallback={<Loading what="Opening" />}><Screen address={address} /></Suspense>
        </Broken>
      </Shell>
    </OpenFolder>
  );
}

function OpenFolder({ children }: { children: ReactNode }) {
  const { store, studio } = useRuntime();
  const stated = useStudioState().value?.folder;
  const { value: read, error } = useFolder();
  if (!stated) return null;
  // The state says which folder is open; its rows are read apart, since they change far more often.
  const folder = read && read.path === stated.path ? read : 'playbook' in stated ? stated : null;
  const again = <Button onClick={() => void store.refresh(paths.folder)}>Read again</Button>;
  const close = <Button onClick={() => void studio.closeFolder().then(() => store.refresh(paths.state))}>Close the folder</Button>;
  if (folder === null) {
    return error === undefined ? <Loading what="Reading the folder" />
      : <Blank icon="folder" title="The folder cannot be read" actions={<>{again}{close}</>}>{wordsOf(error)} {stated.path}</Blank>;
  }
  return (
    <WorkspaceProvider folder={folder}>
      <div className={styles.window}>
      {error !== undefined && <Band tone="bad" role="alert" actions={<>{again}{close}</>}><b>The folder cannot be read now.</b> {wordsOf(error)} What is on screen is kept.</Band>}
      {children}
      </div>
    </WorkspaceProvider>
  );
}

/** A screen that broke is our mistake: said as such, and the rest of the window goes on. */
class Broken extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: null };
  static getDerivedStateFromError(error: unknown) { return { error }; }
  override render() {
    if (this.state.error === null) return this.props.children;
    const words = this.state.error instanceof Error ? this.state.error.message : String(this.state.error);
    return (
      <Blank icon="error" title="This screen broke" actions={<Button onClick={() => this.setState({ error: null })}>Show it again</Button>}>
        That is our mistake, not yours. Texts that are not on disk are kept. ({words})
      </Blank>
    );
  }
}

export function App({ transport = httpTransport }: { transport?: Transport }) {
  return <RuntimeProvider transport={transport}><Studio /></RuntimeProvider>;
}
