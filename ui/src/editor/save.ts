/** Saving a text: written when the file is still what the text began from, else a conflict that waits. */

import { useCallback, useState } from 'react';
import { useRuntime, useStudio } from '../api/react';
import { paths, topics } from '../api/studio';
import { isRefusal } from '../api/transport';
import type { DocumentText } from '../api/types';
import { useWorkspace } from '../app/workspace';
import type { Draft } from '../data/drafts';
import { count } from '../words/time';

export interface Saving {
  save: () => Promise<DocumentText | null>;
  keepMine: () => Promise<DocumentText | null>;
  /** Why the last save did not go through; null when it did. */
  failed: unknown;
  forgetFailure: () => void;
}

/** What a save did, as a sentence. */
export function savedSentence(saved: DocumentText): string {
  if (saved.state === 'saved') return `Saved as version ${saved.version}.`;
  const wrong = saved.check.problems.filter((one) => one.severity === 'error').length;
  const why = wrong > 0 ? `${count(wrong, 'problem')} ${wrong === 1 ? 'keeps' : 'keep'} it a draft.`
    : saved.check.judged === 'no' ? 'It was not judged, so it stays a draft.' : 'It stays a draft.';
  return `On disk. ${why}${saved.version === null ? '' : ` Version ${saved.version} goes on running.`}`;
}

export function useSaving(draft: Draft | undefined, say: (words: string) => void): Saving {
  const { drafts } = useWorkspace();
  const { store } = useRuntime();
  const studio = useStudio();
  const [failed, setFailed] = useState<unknown>(null);

  const send = useCallback(async (key: string, type: string, name: string, text: string, base: string | null): Promise<DocumentText | null> => {
    setFailed(null);
    drafts.saving(key, true);
    try {
      const { document } = await studio.save(type, name, text, base);
      drafts.saved(key, text, document);
      store.put(paths.document(type, name), document, topics.documents);
      void store.refresh(paths.folder);
      say(savedSentence(document));
      return document;
    } catch (error) {
      drafts.saving(key, false);
      if (isRefusal(error, 'concurrent_change') && error.problem['theirs'] === null) {
        drafts.vanished(key);
        say('The file was deleted outside. Nothing was written.');
      } else if (isRefusal(error, 'concurrent_change') && typeof error.problem['theirs'] === 'string') {
        const base = error.problem['theirs_base'];
        drafts.conflicted(key, { theirs: error.problem['theirs'], theirsBase: typeof base === 'string' ? base : null });
        say('The file changed outside. Nothing was overwritten.');
      } else setFailed(error);
      return null;
    }
  }, [drafts, store, studio, say]);

  const save = async () => (draft && !draft.saving ? send(draft.key, draft.type, draft.name, draft.text, draft.base) : null);
  const keepMine = async () => (draft ? send(draft.key, draft.type, draft.name, draft.text, drafts.keepMine(draft.key)) : null);
  return { save, keepMine, failed, forgetFailure: () => setFailed(null) };
}
