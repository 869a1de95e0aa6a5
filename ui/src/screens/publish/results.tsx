/** What became of each item. Only what was read back equal is green. */

import type { PublishResult, Server } from '../../api/types';
import { at, format } from '../../app/address';
import { Band, Button, SignMark } from '../../app/parts';
import { resultSign } from '../../words/state';
import { count, localTime, utcTime } from '../../words/time';
import styles from './publish.module.css';

export function Results({ server, results, again }: { server: Server; results: readonly PublishResult[]; again: () => void }) {
  const of = (...outcomes: PublishResult['outcome'][]) => results.filter((one) => outcomes.includes(one.outcome)).length;
  const proved = results.filter((one) => one.outcome === 'published' && one.read_back_at).length;
  const pulled = of('pulled');
  const unsure = results.filter((one) => resultSign(one).tone === 'unsure').length;
  const stopped = of('refused', 'moved', 'not_tried');
  const words = [
    proved > 0 && `${count(proved, 'definition')} published and read back equal`,
    pulled > 0 && `${pulled} pulled`,
    unsure > 0 && `${unsure} not sure`,
    stopped > 0 && `${stopped} did not go through`,
  ].filter(Boolean).join(', ');
  const tone = unsure > 0 ? 'unsure' : stopped > 0 ? 'warn' : proved + pulled > 0 ? 'good' : 'quiet';
  const tried = results.filter((one) => one.outcome !== 'skipped');
  return (
    <>
      <Band tone={tone} actions={<Button look={tone === 'good' ? 'usual' : 'primary'} onClick={again}>{unsure + stopped > 0 ? 'Make a plan of what is left' : 'Make a new plan'}</Button>}>
        <b>{words === '' ? 'Nothing was sent' : words}.</b>{unsure > 0 ? ' A new plan reads the server again, and then says which.' : ''}
      </Band>
      <ul className={styles.items} aria-label={`Results at ${server.name}`}>
        {tried.map((result) => {
          const sign = resultSign(result);
          return (
            <li key={`${result.type}/${result.name}`} className={styles.result}>
              <SignMark sign={sign} />
              <a className={styles.name} href={format(at('document', [result.type, result.name]))}><span>{result.type}/</span>{result.name}</a>
              <div>
                {sign.sentence}
                {result.problems && result.problems.length > 0 && (
                  <ul>{result.problems.map((problem, index) => <li key={index}>{problem.line ? <a href={format(at('document', [result.type, result.name]))}>Line {problem.line}</a> : problem.pointer ? <code>{problem.pointer}</code> : null} {problem.detail}</li>)}</ul>
                )}
              </div>
              <div className={styles.times}>
                {result.checked_at && <span title={utcTime(result.checked_at)}>checked {localTime(result.checked_at)}</span>}
                {result.sent_at && <span title={utcTime(result.sent_at)}>, sent {localTime(result.sent_at)}</span>}
                {result.read_back_at && <span title={utcTime(result.read_back_at)}>, read back {localTime(result.read_back_at)}</span>}
              </div>
            </li>
          );
        })}
      </ul>
    </>
  );
}
