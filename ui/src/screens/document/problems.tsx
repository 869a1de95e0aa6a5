/** The problems of the text on screen, each leading to its place, with its fix; then those elsewhere. */

import type { Check, DocumentRow, Fix, Problem } from '../../api/types';
import { at, format } from '../../app/address';
import { Icon, ToneIcon } from '../../app/icons';
import { Band, Blank, Button, Words } from '../../app/parts';
import { count } from '../../words/time';
import styles from './document.module.css';

interface Props {
  check: Check;
  /** Whether the check is of the text on screen. */
  fresh: boolean;
  elsewhere: readonly DocumentRow[];
  jump: (problem: Problem) => void;
  fix: (fix: Fix) => void;
  again: () => void;
}

export function Problems({ check, fresh, elsewhere, jump, fix, again }: Props) {
  return (
    <div className={styles.problems} aria-busy={!fresh}>
      {check.judged === 'no' && (
        <Band tone="warn" actions={<Button onClick={again}>Check again</Button>}>
          <b>Not judged.</b> <Words text={check.not_judged ?? 'The checker gave no answer.'} />
        </Band>
      )}
      {check.problems.length > 0 && (
        <ul aria-label="Problems of this document">
          {check.problems.map((problem, index) => (
            <li key={index} className={styles.item}>
              <button type="button" className={styles.problem} data-tone={problem.severity} onClick={() => jump(problem)}>
                <ToneIcon tone={problem.severity === 'error' ? 'bad' : 'warn'} />
                <span className={styles.where}><span className="visually-hidden">{problem.severity}, </span>Line {problem.place.line}, column {problem.place.column}</span>
                <span className={styles.message}><Words text={problem.message} /> <span className={styles.code}>{problem.code}</span></span>
                {problem.hint && <span className={styles.try}>Try: <Words text={problem.hint} /></span>}
              </button>
              {problem.fix && (
                <Button icon="fix" why={fresh ? undefined : 'The text changed; it is being checked again.'} onClick={() => { if (problem.fix) fix(problem.fix); }}><Words text={problem.fix.title} /></Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {check.judged === 'yes' && check.problems.length === 0 && elsewhere.length === 0 && <Blank icon="good" title="No problems">Every rule of the format holds for the text on screen.</Blank>}
      {check.judged === 'yes' && check.problems.length === 0 && elsewhere.length > 0 && <p className={styles.link}>No problems in this document.</p>}
      {elsewhere.length > 0 && (
        <>
          <h2 className={styles.elsewhere}>Elsewhere</h2>
          {elsewhere.map((row) => (
            <a key={`${row.type}/${row.name}`} className={styles.link} href={format(at('document', [row.type, row.name]))}>
              <Icon name="error" /><code>{row.path}</code> {count(row.problems, 'problem')}
            </a>
          ))}
        </>
      )}
    </div>
  );
}
