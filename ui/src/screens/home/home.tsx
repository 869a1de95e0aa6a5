/** Home: open a folder, begin from the sample or with nothing, or go on with a recent one. */

import { useState } from 'react';
import type { FormEvent } from 'react';
import { useRuntime, useStudioState } from '../../api/react';
import { inDesktop, native } from '../../api/native';
import { paths, topics } from '../../api/studio';
import { Refusal, wordsOf } from '../../api/transport';
import type { Folder } from '../../api/types';
import { at, go } from '../../app/address';
import { Icon, type IconName } from '../../app/icons';
import { Band, Button, Field, partStyles } from '../../app/parts';
import { NAME } from '../../words/kinds';
import { ago, count } from '../../words/time';
import styles from './home.module.css';

type Way = 'open' | 'sample' | 'new';

const WAYS: readonly { way: Way; title: string; about: string; icon: IconName }[] = [
  { way: 'open', title: 'Open a folder', about: 'A playbook is a folder of plain files, fit for Git.', icon: 'folder' },
  { way: 'sample', title: 'New from the sample', about: 'Campaign reviews, complete: functions, a view, inputs. No key, no network.', icon: 'view' },
  { way: 'new', title: 'New, empty', about: 'A name, and a folder to fill.', icon: 'plus' },
];

const CARDS = [
  ['Write', 'Every problem at its line while you type, with what to do about it.'],
  ['Run', 'A form from the input’s schema. What is on screen runs, or the saved version; it says which.'],
  ['Look', 'Every run and every record. A view that stalls shows the event, the line and a bench to mend it.'],
  ['Publish', 'A plan with every difference first. Green only when read back equal.'],
] as const;

export default function Home() {
  const { store, studio } = useRuntime();
  const state = useStudioState().value;
  const [way, setWay] = useState<Way | null>(null);
  const [busy, setBusy] = useState<string | null>(null);
  const [error, setError] = useState<{ path: string; error: unknown } | null>(null);
  const folder = state?.folder && 'playbook' in state.folder ? state.folder : null;

  const enter = async (path: string, open: () => Promise<Folder>) => {
    setBusy(path);
    setError(null);
    try {
      const opened = await open();
      store.clear();
      store.put(paths.folder, opened, topics.folder);
      await store.refresh(paths.state);
      const first = opened.documents.find((row) => row.type === 'computation') ?? opened.documents[0];
      go(first ? at('document', [first.type, first.name]) : at('home'));
    } catch (failed) {
      setError({ path, error: failed });
    } finally {
      setBusy(null);
    }
  };
  const chooseWay = async (next: Way) => {
    setError(null);
    if (next !== 'open' || !inDesktop()) return setWay(way === next ? null : next);
    const path = await (await native())?.pickFolder('Open a playbook folder');
    if (path) await enter(path, () => studio.openFolder(path));
  };
  const close = async () => {
    await studio.closeFolder();
    store.clear();
    await store.refresh(paths.state);
  };

  return (
    <div className={styles.home}>
      <div className={styles.page}>
        <header className={styles.title}>
          <img src="./icon.svg" width={40} height={40} alt="" />
          <div><h1>Playbook Studio</h1><p>Write, check, run, look, publish.</p></div>
        </header>
        {folder && (
          <div className={styles.open}>
            <div>
              <b>{folder.playbook.name}</b> is open: {count(folder.documents.length, 'definition')}.<br />
              <code>{folder.path}</code>
            </div>
            <Button onClick={() => void close()}>Close the folder</Button>
          </div>
        )}
        <div className={styles.ways} role="group" aria-label="Begin">
          {WAYS.map((one) => (
            <button key={one.way} type="button" className={styles.way} aria-pressed={way === one.way} onClick={() => void chooseWay(one.way)}>
              <Icon name={one.icon} /><b>{one.title}</b><span>{one.about}</span>
            </button>
          ))}
        </div>
        {error && <FolderError path={error.path} error={error.error} />}
        {way === 'open' && <OpenForm key="open" label="Open" busy={busy !== null} send={(path) => void enter(path, () => studio.openFolder(path))} />}
        {way === 'sample' && <OpenForm key="sample" label="Write the sample and open it" note="An empty or a new folder. Nothing in it is overwritten." busy={busy !== null} send={(path) => void enter(path, () => studio.sampleFolder(path))} />}
        {way === 'new' && <NewForm busy={busy !== null} send={(given) => void enter(given.path, () => studio.newFolder(given))} />}
        <section className={styles.section} aria-labelledby="recent">
          <h2 id="recent">Recent</h2>
          {state && state.recent.length === 0 && <p className={partStyles.note}>Folders you open are listed here.</p>}
          <div className={styles.recent}>
            {state?.recent.map((one) => (
              <button key={one.path} type="button" disabled={one.missing || busy !== null} onClick={() => void enter(one.path, () => studio.openFolder(one.path))}
                title={one.missing ? 'The folder is not there any more.' : one.path}>
                <b>{one.name}</b><code>{one.path}</code>
                <small>{one.missing ? 'Not there any more' : busy === one.path ? 'Opening' : ago(one.opened_at)}</small>
              </button>
            ))}
          </div>
        </section>
        {!folder && (
          <section className={styles.cards} aria-label="What the Studio does">
            {CARDS.map(([title, about]) => <div key={title}><h3>{title}</h3><p>{about}</p></div>)}
          </section>
        )}
      </div>
    </div>
  );
}

/** What to do about a folder that does not open; the sentence itself is the runtime's. */
function FolderError({ path, error }: { path: string; error: unknown }) {
  const kind = error instanceof Refusal ? error.problem.kind : undefined;
  const what = kind === 'taken' ? 'Another program has it open' : 'It cannot be opened';
  const next = kind === 'taken' ? 'Close it there, then open it here. Two programs never write one log.' : undefined;
  return (
    <Band tone={kind === 'taken' ? 'warn' : 'bad'} role="alert" inset>
      <b>{what}.</b> {wordsOf(error)} {next}<br /><code>{path}</code>
    </Band>
  );
}

function PathField({ path, setPath, note }: { path: string; setPath: (path: string) => void; note?: string | undefined }) {
  return (
    <Field label="Folder" note={note}>
      {(given) => (
        <div className={styles.row}>
          <input {...given} className={`${partStyles.input} ${partStyles.code}`} autoFocus value={path} spellCheck={false} autoComplete="off"
            placeholder="/home/you/playbooks/reviews" onChange={(event) => setPath(event.target.value)} />
          {inDesktop() && (
            <Button onClick={() => void native().then((desktop) => desktop?.pickFolder('Choose a folder')).then((picked) => { if (picked) setPath(picked); })}>Choose…</Button>
          )}
        </div>
      )}
    </Field>
  );
}

function OpenForm({ label, note, busy, send }: { label: string; note?: string; busy: boolean; send: (path: string) => void }) {
  const [path, setPath] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (path.trim() !== '') send(path.trim());
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <PathField path={path} setPath={setPath} note={note} />
      <div className={styles.actions}><Button look="primary" type="submit" disabled={busy || path.trim() === ''}>{busy ? 'Opening' : label}</Button></div>
    </form>
  );
}

const idFrom = (name: string): string => name.toLowerCase().normalize('NFD').replace(/[^a-z0-9]+/g, '-').replace(/^[^a-z]+|-+$/g, '').slice(0, 48);

function NewForm({ busy, send }: { busy: boolean; send: (given: { path: string; playbook: string; name: string; description: string }) => void }) {
  const [path, setPath] = useState('');
  const [name, setName] = useState('');
  const [typedId, setId] = useState<string | null>(null);
  const [description, setDescription] = useState('');
  const playbook = typedId ?? idFrom(name);
  const wrong = playbook !== '' && !NAME.test(playbook) ? 'Use 3 to 48 lowercase letters, digits and hyphens, a letter first.' : undefined;
  const ready = path.trim() !== '' && name.trim() !== '' && playbook !== '' && wrong === undefined && !busy;
  return (
    <form className={styles.form} onSubmit={(event) => { event.preventDefault(); if (ready) send({ path: path.trim(), playbook, name: name.trim(), description: description.trim() }); }}>
      <PathField path={path} setPath={setPath} note="An empty or a new folder." />
      <div className={styles.pair}>
        <Field label="Name">{(given) => <input {...given} className={partStyles.input} value={name} maxLength={100} onChange={(event) => setName(event.target.value)} />}</Field>
        <Field label="Id" problem={wrong} note="In addresses and on servers; never changed.">
          {(given) => <input {...given} className={`${partStyles.input} ${partStyles.code}`} value={playbook} spellCheck={false} onChange={(event) => setId(event.target.value)} />}
        </Field>
      </div>
      <Field label="Description" note="What it is responsible for. May be left out.">
        {(given) => <textarea {...given} className={partStyles.input} rows={2} maxLength={2000} value={description} onChange={(event) => setDescription(event.target.value)} />}
      </Field>
      <div className={styles.actions}><Button look="primary" type="submit" disabled={!ready}>{busy ? 'Making it' : 'Make it'}</Button></div>
    </form>
  );
}
