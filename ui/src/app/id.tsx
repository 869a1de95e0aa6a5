/** An id: short to look at, whole when copied. */

import page from '../style/page.module.css';
import { shortId } from '../words/time';
import { IconButton } from './parts';

export function Id({ id, what, whole = false }: { id: string; what: string; whole?: boolean }) {
  return (
    <span className={page.copy}>
      <code title={id}>{whole ? id : shortId(id)}</code>
      <IconButton small icon="copy" label={`Copy the id of the ${what}`} onClick={() => void navigator.clipboard?.writeText(id)} />
    </span>
  );
}
