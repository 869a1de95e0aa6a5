/** The views of the playbook, the stalled first. */

import { at, format } from '../../app/address';
import { Icon } from '../../app/icons';
import { Blank, SignMark } from '../../app/parts';
import { useWorkspace } from '../../app/workspace';
import page from '../../style/page.module.css';
import { rowStandingSign } from '../../words/state';
import { count } from '../../words/time';
import styles from './view.module.css';

const ORDER = { stalled: 0, rebuilding: 1, waiting: 2, live: 3 } as const;

export default function Views() {
  const { folder } = useWorkspace();
  const rows = folder.documents.filter((row) => row.type === 'recall')
    .toSorted((one, other) => (one.standing ? ORDER[one.standing.state] : 4) - (other.standing ? ORDER[other.standing.state] : 4) || one.name.localeCompare(other.name));
  return (
    <div className={page.page}>
      <div className={page.head}><h1>Views</h1><span className={page.note}>{count(rows.length, 'recall function')}, of at most 32</span></div>
      {rows.length === 0
        ? <Blank icon="view" title="No recall function yet">A recall function keeps a view: what happened, folded event by event, to be asked about again. Make one in the tree, under Recall.</Blank>
        : (
          <div className={page.scroll}>
            <ul aria-label="Views">
              {rows.map((row) => {
                const sign = row.standing ? rowStandingSign(row.standing) : null;
                return (
                  <li key={row.name}>
                    <a className={styles.row} href={format(at('view', [row.name]))}>
                      <b>{row.name}</b>
                      {sign ? <SignMark sign={sign} /> : <span className={styles.muted}><Icon name="quiet" /> no version yet</span>}
                      <span className={`${styles.muted} ${styles.about}`}>{sign?.sentence ?? 'Its view is built once a version is saved.'}</span>
                      <span className={styles.muted}>{row.version === null ? '' : `version ${row.version}`}</span>
                    </a>
                  </li>
                );
              })}
            </ul>
          </div>
        )}
    </div>
  );
}
