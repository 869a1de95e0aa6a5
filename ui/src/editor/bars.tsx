/** Bars above the editor: what happened to the text outside. Never a dialog, never in the way of typing. */

import type { Draft } from '../data/drafts';
import { Band, Button } from '../app/parts';
import { localTime } from '../words/time';

interface Props {
  draft: Draft;
  comparing: 'theirs' | 'crash' | null;
  compare: (what: 'theirs' | 'crash' | null) => void;
  keepMine: () => void;
  takeTheirs: () => void;
  restore: () => void;
  drop: () => void;
  save: () => void;
}

export function Bars({ draft, comparing, compare, keepMine, takeTheirs, restore, drop, save }: Props) {
  return (
    <>
      {draft.conflict && (
        <Band tone="warn" role="alert" actions={(
          <>
            <Button aria-pressed={comparing === 'theirs'} onClick={() => compare(comparing === 'theirs' ? null : 'theirs')}>{comparing === 'theirs' ? 'Back to the editor' : 'Compare'}</Button>
            <Button onClick={keepMine}>Keep mine</Button>
            <Button onClick={takeTheirs}>Take theirs</Button>
          </>
        )}>
          <b>The file changed outside</b> while you were typing. Your text is as you left it; nothing was overwritten on either side.
        </Band>
      )}
      {draft.gone && (
        <Band tone="warn" role="alert" actions={<Button onClick={save}>Save to restore it</Button>}>
          <b>The file was deleted outside.</b> The text is kept here; the last version goes on running.
        </Band>
      )}
      {draft.crash && (
        <Band tone="info" actions={(
          <>
            <Button aria-pressed={comparing === 'crash'} onClick={() => compare(comparing === 'crash' ? null : 'crash')}>{comparing === 'crash' ? 'Back to the editor' : 'Compare'}</Button>
            <Button look="primary" onClick={restore}>Bring it back</Button>
            <Button onClick={drop}>Throw it away</Button>
          </>
        )}>
          <b>Text that was not on disk was kept</b>{draft.crash.at ? <> from {localTime(draft.crash.at)}</> : null}, when the window closed.
          {draft.crash.base !== draft.base ? ' The file has changed since.' : ''}
        </Band>
      )}
    </>
  );
}
