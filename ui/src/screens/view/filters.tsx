/** What a view takes, how many events that was, and what came closest where it was none. */

import type { FilterRow } from '../../api/types';
import { ToneIcon } from '../../app/icons';
import { Words, cx, partStyles } from '../../app/parts';
import page from '../../style/page.module.css';
import { count } from '../../words/time';
import { marked } from '../../words/sentence';
import { takenWords } from '../../words/view';
import styles from './view.module.css';

export function FilterRows({ filters, folded }: { filters: readonly FilterRow[]; folded: number }) {
  return (
    <ul aria-label="Filters" className={styles.filterRows}>
      {filters.map((filter, index) => {
        const taken = takenWords(filter, folded);
        return (
          <li key={`${index}/${filter.sentence}`}>
            <span><Words text={marked(filter.sentence)} /></span>
            {taken !== null && <small>{taken}</small>}
            {filter.nearest && (
              <small className={styles.nearest}>
                <span className={cx(partStyles.sign, partStyles.warn)}><ToneIcon tone="warn" />Nearest miss</span> <Words text={filter.nearest.sentence} />
              </small>
            )}
          </li>
        );
      })}
    </ul>
  );
}

export function FilterList({ filters, folded }: { filters: readonly FilterRow[]; folded: number }) {
  return (
    <div className={styles.filters} role="group" aria-label="What it takes" tabIndex={0}>
      <p className={page.note}>An event is folded when it matches any of these, and once only. {folded === 0 ? 'None was folded yet.' : `${count(folded, 'event')} ${folded === 1 ? 'was' : 'were'} folded so far.`}</p>
      <FilterRows filters={filters} folded={folded} />
    </div>
  );
}
