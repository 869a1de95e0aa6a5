/** The plan: every definition laid three ways, with what can be done about it. Nothing here sends by itself. */

import { Suspense, useState } from 'react';
import type { Chosen, Plan, PlanItem, Server } from '../../api/types';
import { at, format } from '../../app/address';
import { IconButton, Button, Band, Loading, SignMark, cx, partStyles } from '../../app/parts';
import { Compare, Three, languageOf } from '../../editor/lazy';
import { planSign } from '../../words/state';
import { count, localTime } from '../../words/time';
import styles from './publish.module.css';

type Group = 'choose' | 'send' | 'pull' | 'blocked' | 'left';

const GROUPS: readonly { group: Group; title: string }[] = [
  { group: 'choose', title: 'Stopped: yours to choose' },
  { group: 'send', title: 'To publish' },
  { group: 'pull', title: 'To pull' },
  { group: 'blocked', title: 'Blocked' },
  { group: 'left', title: 'Left as they are' },
];

export function groupOf(item: PlanItem): Group {
  switch (item.state) {
    case 'changed_both': return 'choose';
    case 'new': case 'changed_here': return 'send';
    case 'changed_there': return 'pull';
    case 'blocked': return 'blocked';
    case 'retired_there': return item.mine === null ? 'left' : 'blocked';
    case 'same': case 'gone_here': return 'left';
  }
}

/** What may be chosen for an item, the first being what is done when nothing is chosen. */
export function choicesOf(item: PlanItem): { action: Chosen; title: string }[] {
  const theirs = `version ${item.version_there ?? '?'}${item.by_there ? ` by ${item.by_there}` : ''}`;
  switch (item.state) {
    case 'new': return [{ action: 'publish', title: 'Publish' }, { action: 'skip', title: 'Leave out' }];
    case 'changed_here': return [{ action: 'publish', title: `Publish over ${theirs}` }, { action: 'skip', title: 'Leave out' }];
    case 'changed_there': return [{ action: 'pull', title: 'Pull theirs' }, { action: 'skip', title: 'Leave out' }];
    case 'changed_both': return [{ action: 'skip', title: 'Stop: send nothing' }, { action: 'pull', title: 'Take theirs' }, { action: 'overwrite', title: `Publish mine over ${theirs}` }];
    case 'gone_here': return [{ action: 'skip', title: 'Leave it there' }, { action: 'pull', title: 'Pull it here' }];
    default: return [];
  }
}

const keyOf = (item: PlanItem): string => `${item.type}/${item.name}`;

export function PlanView({ plan, server, again, send }: { plan: Plan; server: Server; again: () => void; send: (items: { type: string; name: string; action: Chosen }[]) => void }) {
  const [chosen, setChosen] = useState<Readonly<Record<string, Chosen>>>({});
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const actionOf = (item: PlanItem): Chosen => chosen[keyOf(item)] ?? choicesOf(item)[0]?.action ?? 'skip';
  const unconfirmed = plan.items.filter((item) => actionOf(item) === 'overwrite' && typed[keyOf(item)] !== item.name);
  const sent = plan.items.filter((item) => ['publish', 'overwrite'].includes(actionOf(item)));
  const pulled = plan.items.filter((item) => actionOf(item) === 'pull');
  const title = [sent.length > 0 && `Send ${sent.length}`, pulled.length > 0 && `${sent.length > 0 ? 'pull' : 'Pull'} ${pulled.length}`].filter(Boolean).join(' and ');
  const stopped = plan.items.filter((item) => groupOf(item) === 'choose' && actionOf(item) === 'skip').length;
  const go = () => send(plan.items.filter((item) => choicesOf(item).length > 0).map((item) => ({ type: item.type, name: item.name, action: actionOf(item) })));

  return (
    <>
      <div className={styles.summary}>
        <p>
          {plan.playbook.exists ? <>Read from <b>{server.name}</b> at {localTime(plan.read_at)}.</> : <><b>{server.name}</b> has no playbook {server.playbook}; it is made first, named {plan.playbook.name}.</>} Nothing is sent yet.
          <small>What is called comes first. Before each item its version there is read again; if it moved, that item stops and the rest goes on.{stopped > 0 ? ` ${count(stopped, 'item')} ${stopped === 1 ? 'is' : 'are'} stopped until you choose.` : ''}</small>
        </p>
        <Button onClick={again}>Read again</Button>
        <Button look="primary" icon="publish" onClick={go}
          why={title === '' ? 'There is nothing to send or pull.' : unconfirmed.length > 0 ? 'Type the name of each definition to publish over.' : undefined}>{title === '' ? 'Nothing to send' : title}</Button>
      </div>
      <div className={styles.items}>
        {plan.items.length === 0 && <Band tone="info" role="note">Neither the folder nor the server has a definition.</Band>}
        {GROUPS.map(({ group, title: heading }) => {
          const items = plan.items.filter((item) => groupOf(item) === group);
          return items.length === 0 ? null : (
            <section key={group} aria-label={heading}>
              <h2 className={styles.group}>{heading}</h2>
              <ul>
                {items.map((item) => (
                  <Item key={keyOf(item)} item={item} action={actionOf(item)} choose={(action) => setChosen({ ...chosen, [keyOf(item)]: action })}
                    typed={typed[keyOf(item)] ?? ''} type={(text) => setTyped({ ...typed, [keyOf(item)]: text })} />
                ))}
              </ul>
            </section>
          );
        })}
      </div>
    </>
  );
}

function Item({ item, action, choose, typed, type }: { item: PlanItem; action: Chosen; choose: (action: Chosen) => void; typed: string; type: (text: string) => void }) {
  const [open, setOpen] = useState(item.state === 'changed_both');
  const choices = choicesOf(item);
  const shows = item.mine !== null || item.theirs !== null;
  const effects = action === 'publish' || action === 'overwrite' || action === 'pull' ? item.effects : [];
  return (
    <li className={styles.item}>
      <div className={styles.itemHead}>
        {shows ? <IconButton small icon={open ? 'down' : 'right'} label={`${open ? 'Hide' : 'Show'} the texts of ${item.name}`} aria-expanded={open} onClick={() => setOpen(!open)} /> : <span />}
        <span className={styles.signCell}><SignMark sign={planSign(item.state)} /></span>
        <a className={styles.name} href={format(at('document', [item.type, item.name]))}><span>{item.type}/</span>{item.name}</a>
        <span className={styles.there}>{item.version_there === null ? '' : `there: version ${item.version_there}${item.by_there ? ` by ${item.by_there}` : ''}${item.at_there ? `, ${localTime(item.at_there)}` : ''}`}</span>
        <span className={styles.pick}>
          {choices.length > 0 && (
            <select className={cx(partStyles.input, styles.choice)} aria-label={`What to do with ${item.type}/${item.name}`} value={action} onChange={(event) => choose(event.target.value as Chosen)}>
              {choices.map((choice) => <option key={choice.action} value={choice.action}>{choice.title}</option>)}
            </select>
          )}
        </span>
      </div>
      {(effects.length > 0 || item.blocked || groupOf(item) === 'blocked') && (
        <ul className={styles.about}>
          {effects.map((effect) => <li key={effect}>{effect}</li>)}
          {item.blocked ? <li>{item.blocked}</li> : groupOf(item) === 'blocked' && <li>{planSign(item.state).sentence}</li>}
        </ul>
      )}
      {action === 'overwrite' && (
        <div className={styles.confirm}>
          <label htmlFor={`confirm-${item.type}-${item.name}`}>Their change is replaced by yours, as a new version. Type <code>{item.name}</code> to mean it:</label>
          <input id={`confirm-${item.type}-${item.name}`} className={cx(partStyles.input, partStyles.code)} value={typed} spellCheck={false} autoComplete="off" onChange={(event) => type(event.target.value)} aria-invalid={typed !== '' && typed !== item.name} />
        </div>
      )}
      {open && <Texts item={item} />}
    </li>
  );
}

function Texts({ item }: { item: PlanItem }) {
  const language = languageOf(item.type);
  const version = `${item.version_there === null ? 'Theirs' : `Theirs, version ${item.version_there}`}${item.by_there ? ` by ${item.by_there}` : ''}`;
  return (
    <div className={styles.diff}>
      <Suspense fallback={<Loading what="Opening" />}>
        {item.state === 'changed_both' && item.base !== null && item.mine !== null && item.theirs !== null
          ? <Three theirs={item.theirs} base={item.base} mine={item.mine} language={language} labels={{ theirs: version, base: 'As last published or pulled', mine: 'Mine' }} />
          : <Compare left={item.theirs ?? ''} leftLabel={item.theirs === null ? 'Not there' : version} right={item.mine ?? ''} rightLabel={item.mine === null ? 'Not here' : 'Mine'} language={language} />}
      </Suspense>
    </div>
  );
}
