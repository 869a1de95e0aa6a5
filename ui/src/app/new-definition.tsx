/** A new definition: its name, and the smallest valid text for its type. */

import { useState } from 'react';
import { useRuntime } from '../api/react';
import { paths, topics } from '../api/studio';
import { wordsOf } from '../api/transport';
import { NAME, typeWords } from '../words/kinds';
import { at, go } from './address';
import { Dialog, dialogStyles } from './dialog';
import { Band, Button, Field, partStyles } from './parts';
import { useWorkspace } from './workspace';

export default function NewDefinition({ type, close }: { type: string; close: () => void }) {
  const { folder, drafts } = useWorkspace();
  const { store, studio } = useRuntime();
  const [name, setName] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const words = typeWords(type);
  const used = folder.documents.find((row) => row.type === type && row.name === name);
  const problem = name === '' ? undefined
    : !NAME.test(name) ? 'Use 3 to 48 lowercase letters, digits and hyphens, a letter first.'
    : used ? (used.state === 'retired' ? 'That name was retired, and a name is never given back.' : 'That name is used.')
    : undefined;

  const create = async () => {
    if (problem !== undefined || name === '' || busy) return;
    setBusy(true);
    try {
      const { document } = await studio.create(type, name);
      drafts.read(document);
      store.put(paths.document(type, name), document, topics.documents);
      void store.refresh(paths.folder);
      close();
      setTimeout(() => go(at('document', [type, name])), 0);
    } catch (failed) {
      setError(failed);
      setBusy(false);
    }
  };
  return (
    <Dialog label={`New ${words.one}`} close={close}>
      <form onSubmit={(event) => { event.preventDefault(); void create(); }} style={{ display: 'grid', gap: 14 }}>
        <Field label="Name" problem={problem} note={<>Becomes the file <code>{type}/{name || 'name'}.md</code>. A saved name is never used again for another.</>}>
          {(given) => <input {...given} className={`${partStyles.input} ${partStyles.code}`} autoFocus value={name} spellCheck={false} autoComplete="off"
            onChange={(event) => setName(event.target.value)} />}
        </Field>
        {error !== null && <Band tone="bad" role="alert" inset>{wordsOf(error)}</Band>}
        <div className={dialogStyles.actions}>
          <Button onClick={close}>Cancel</Button>
          <Button look="primary" type="submit" disabled={name === '' || problem !== undefined || busy}>Create</Button>
        </div>
      </form>
    </Dialog>
  );
}
