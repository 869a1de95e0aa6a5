/** Publish: choose a server, see every difference first, choose, send, and believe only what was read back. */

import { useState } from 'react';
import { useQuery, useRuntime, useStudio } from '../../api/react';
import { paths, topics } from '../../api/studio';
import { wordsOf } from '../../api/transport';
import type { Plan, PublishResult, Server } from '../../api/types';
import { adjust, useAddress } from '../../app/address';
import { Band, Blank, Button, Failure, Loading } from '../../app/parts';
import { useDirty } from '../../app/workspace';
import page from '../../style/page.module.css';
import { PlanView } from './plan';
import styles from './publish.module.css';
import { Results } from './results';
import { ServerForm } from './server-form';

/** A plan and its results outlive a tab switch: a half-done one is never lost. */
const held = new Map<string, { plan: Plan | null; results: PublishResult[] | null }>();

const KEY_WORDS: Record<Server['key'], string> = { keychain: 'key in the keychain', file: 'key in a file only you can read', none: 'no key' };

export default function Publish() {
  const { store } = useRuntime();
  const answer = useQuery<{ servers: Server[] }>(paths.servers, topics.publish);
  const { fields } = useAddress();
  const [form, setForm] = useState<'new' | 'change' | null>(null);
  if (!answer.value) return answer.error ? <Failure title="The servers cannot be read" error={answer.error} again={() => void store.refresh(paths.servers)} /> : <Loading what="Reading servers" />;
  const { servers } = answer.value;
  const chosen = servers.find((one) => one.id === fields['server']) ?? servers[0] ?? null;
  const done = (server: Server | null) => {
    setForm(null);
    void store.refresh(paths.servers);
    if (server) adjust({ server: server.id });
  };

  return (
    <div className={page.page}>
      <div className={page.head}><h1>Publish</h1><span className={page.note}>Nothing is sent before you have seen the plan.</span></div>
      <div className={styles.body}>
        <div className={styles.servers} role="group" aria-label="Servers">
          {servers.map((server) => (
            <button key={server.id} type="button" className={styles.server} aria-pressed={server.id === chosen?.id && form !== 'new'} onClick={() => { setForm(null); adjust({ server: server.id }); }}>
              <b>{server.name}</b>
              <small>{server.origin}</small>
              <small>{server.org}/{server.playbook}, {KEY_WORDS[server.key]}</small>
            </button>
          ))}
          <Button icon="plus" look="plain" onClick={() => setForm('new')}>Connect a server</Button>
        </div>
        <div className={styles.main}>
          {form === 'new' || (form === 'change' && chosen)
            ? <ServerForm key={form === 'change' ? chosen?.id : 'new'} server={form === 'change' ? chosen : null} done={done} cancel={() => setForm(null)} />
            : chosen
              ? <Chosen key={chosen.id} server={chosen} change={() => setForm('change')} />
              : (
                <Blank icon="publish" title="No server yet" actions={<Button look="primary" onClick={() => setForm('new')}>Connect a server</Button>}>
                  A server runs the playbook for everyone: <code>playbook serve</code> on another machine or port. Its key is kept in the system’s keychain, and calls are made by the runtime, never by this page.
                </Blank>
              )}
        </div>
      </div>
    </div>
  );
}

function Chosen({ server, change }: { server: Server; change: () => void }) {
  const studio = useStudio();
  const { store } = useRuntime();
  const dirty = useDirty();
  const [state, setState] = useState(() => held.get(server.id) ?? { plan: null, results: null });
  const [busy, setBusy] = useState<'plan' | 'send' | null>(null);
  const [error, setError] = useState<unknown>(null);
  const keep = (next: { plan: Plan | null; results: PublishResult[] | null }) => { held.set(server.id, next); setState(next); };

  const makePlan = async () => {
    setBusy('plan');
    setError(null);
    try { keep({ plan: await studio.plan(server.id), results: null }); } catch (failed) { setError(failed); } finally { setBusy(null); }
  };
  const send: Parameters<typeof PlanView>[0]['send'] = async (items) => {
    if (!state.plan) return;
    setBusy('send');
    setError(null);
    try {
      const { results } = await studio.apply(state.plan.id, items);
      keep({ plan: state.plan, results });
      void store.refresh(paths.folder);
    } catch (failed) { setError(failed); } finally { setBusy(null); }
  };

  return (
    <>
      {error !== null && <Band tone="bad" role="alert" actions={<><Button onClick={() => void makePlan()}>Make the plan again</Button><Button onClick={change}>Change the server</Button></>}>{wordsOf(error)}</Band>}
      {server.key === 'none' && !state.plan && <Band tone="info" role="note" actions={<Button onClick={change}>Give the key</Button>}>No key is kept for this server. A server on this machine in local mode needs none; any other refuses.</Band>}
      {dirty.size > 0 && !state.results && <Band tone="info" role="note">{dirty.size === 1 ? 'One text is' : `${dirty.size} texts are`} not on disk. What is published is the saved version.</Band>}
      {busy === 'send' ? <Loading what="Sending, one after the other, and reading each back" />
        : busy === 'plan' ? <Loading what={`Reading what ${server.name} has`} />
        : state.results && state.plan ? <Results server={server} results={state.results} again={() => void makePlan()} />
        : state.plan ? <PlanView plan={state.plan} server={server} again={() => void makePlan()} send={(items) => void send(items)} />
        : (
          <Blank icon="publish" title={`Publish to ${server.name}`} actions={<><Button look="primary" onClick={() => void makePlan()}>Make a plan</Button><Button onClick={change}>Change the server</Button></>}>
            The plan reads every definition there and lays it beside yours: what is new, what changed here, there, or in both. Nothing is sent by it.
          </Blank>
        )}
    </>
  );
}
