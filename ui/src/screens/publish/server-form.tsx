/** A server to publish to. Its key goes to the keychain and is never shown again. */

import { useState } from 'react';
import { useStudio } from '../../api/react';
import { wordsOf } from '../../api/transport';
import type { Server } from '../../api/types';
import { Band, Button, Field, partStyles } from '../../app/parts';
import { useWorkspace } from '../../app/workspace';
import { NAME } from '../../words/kinds';
import styles from './publish.module.css';

/** Why an origin is not one; undefined when it is. */
export function originProblem(typed: string): string | undefined {
  let url: URL;
  try { url = new URL(typed); } catch { return 'Write it with its scheme, such as https://playbooks.example.org.'; }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'Only http and https addresses can be published to.';
  if (url.username !== '' || url.password !== '') return 'Leave the name and password out; the key has its own field.';
  if ((url.pathname !== '/' && url.pathname !== '') || url.search !== '' || url.hash !== '') return 'Only the scheme, host and port; nothing after it.';
  return undefined;
}

export function ServerForm({ server, done, cancel }: { server: Server | null; done: (server: Server | null) => void; cancel: () => void }) {
  const { folder } = useWorkspace();
  const studio = useStudio();
  const [name, setName] = useState(server?.name ?? '');
  const [origin, setOrigin] = useState(server?.origin ?? '');
  const [org, setOrg] = useState(server?.org ?? 'local');
  const [playbook, setPlaybook] = useState(server?.playbook ?? folder.playbook.id);
  const [key, setKey] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [asking, setAsking] = useState(false);
  const wrongOrigin = origin === '' ? undefined : originProblem(origin);
  const wrongPlaybook = playbook !== '' && !NAME.test(playbook) ? 'Use 3 to 48 lowercase letters, digits and hyphens, a letter first.' : undefined;
  const ready = name.trim() !== '' && origin !== '' && org.trim() !== '' && playbook !== '' && !wrongOrigin && !wrongPlaybook && !busy;
  let plain = false;
  try { plain = new URL(origin).protocol === 'http:' && !/^(?:localhost|127\.|\[::1\])/.test(new URL(origin).hostname); } catch { /* Said at its field. */ }

  const act = async (call: () => Promise<Server | null>) => {
    setBusy(true);
    setError(null);
    try { done(await call()); } catch (failed) { setError(failed); setBusy(false); }
  };
  const send = () => {
    const given = { name: name.trim(), origin: origin.replace(/\/$/, ''), org: org.trim(), playbook, ...(key === '' ? {} : { key }) };
    void act(async () => (server ? await studio.changeServer(server.id, given) : await studio.addServer(given)).server);
  };

  return (
    <form className={styles.form} onSubmit={(event) => { event.preventDefault(); if (ready) send(); }}>
      <h2>{server ? `Change ${server.name}` : 'Connect a server'}</h2>
      <Field label="Name" note="Yours, to tell servers apart.">{(given) => <input {...given} className={partStyles.input} autoFocus value={name} onChange={(event) => setName(event.target.value)} />}</Field>
      <Field label="Address" problem={wrongOrigin} note={plain ? 'Not encrypted: a key sent to it can be read on the way.' : 'Scheme, host and port.'}>
        {(given) => <input {...given} className={`${partStyles.input} ${partStyles.code}`} value={origin} spellCheck={false} autoComplete="off" placeholder="https://playbooks.example.org" onChange={(event) => setOrigin(event.target.value.trim())} />}
      </Field>
      <div className={styles.pair}>
        <Field label="Organisation">{(given) => <input {...given} className={`${partStyles.input} ${partStyles.code}`} value={org} spellCheck={false} onChange={(event) => setOrg(event.target.value)} />}</Field>
        <Field label="Playbook" problem={wrongPlaybook}>{(given) => <input {...given} className={`${partStyles.input} ${partStyles.code}`} value={playbook} spellCheck={false} onChange={(event) => setPlaybook(event.target.value)} />}</Field>
      </div>
      <Field label="Key" note={server && server.key !== 'none' ? 'One is kept. Leave this empty to keep it.' : 'Goes to the system’s keychain, or to a file only you can read where there is none. It is never shown again.'}>
        {(given) => <input {...given} className={`${partStyles.input} ${partStyles.code}`} type="password" autoComplete="off" value={key} onChange={(event) => setKey(event.target.value)} />}
      </Field>
      {error !== null && <Band tone="bad" role="alert" inset>{wordsOf(error)}</Band>}
      <div className={styles.actions}>
        {server && !asking && <Button look="danger" onClick={() => setAsking(true)}>Forget this server</Button>}
        {server && asking && <Button look="danger" onClick={() => void act(async () => { await studio.removeServer(server.id); return null; })}>Forget it and its key</Button>}
        <Button onClick={cancel}>Cancel</Button>
        <Button look="primary" type="submit" disabled={!ready}>{server ? 'Save' : 'Connect'}</Button>
      </div>
    </form>
  );
}
