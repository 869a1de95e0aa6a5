/** The definitions by type in the seed's order, each with its marks; below them the other places. */

import { Fragment, useEffect, useMemo, useRef, useState } from 'react';
import type { KeyboardEvent } from 'react';
import type { DocumentRow } from '../api/types';
import { TYPES } from '../words/kinds';
import { documentSign, rowStandingSign } from '../words/state';
import { at, format, go, keyOf, useAddress, type Address } from './address';
import { Icon, ToneIcon, typeIcon, type IconName } from './icons';
import { IconButton, Words } from './parts';
import styles from './shell.module.css';
import { useDirty, useProblems, useWorkspace } from './workspace';

const PLACES: readonly { title: string; icon: IconName; address: Address; also?: string }[] = [
  { title: 'Runs', icon: 'runs', address: at('runs'), also: 'run' },
  { title: 'Feed', icon: 'feed', address: at('feed') },
  { title: 'Views', icon: 'view', address: at('views'), also: 'view' },
  { title: 'Inbox', icon: 'inbox', address: at('inbox') },
  { title: 'Triggers', icon: 'bolt', address: at('triggers') },
  { title: 'Publish', icon: 'publish', address: at('publish') },
];

export function DefinitionTree({ create, went }: { create: (type: string) => void; went: () => void }) {
  const { folder } = useWorkspace();
  const dirty = useDirty();
  const counted = useProblems();
  const address = useAddress();
  const here = keyOf(address);
  // What is wrong with several files in the same way is said once.
  const alike = useMemo(() => {
    const found = new Map<string, { message: string; hint: string | undefined; paths: string[] }>();
    for (const { path, message, hint } of folder.problems) {
      const same = found.get(message);
      if (same) same.paths.push(path);
      else found.set(message, { message, hint, paths: [path] });
    }
    return [...found.values()];
  }, [folder.problems]);
  const groups = useMemo(() => TYPES.flatMap((type) => {
    const rows = folder.documents.filter((row) => row.type === type.type);
    return type.known || rows.length > 0 ? [{ ...type, rows }] : [];
  }), [folder.documents]);
  const order = useMemo(() => groups.flatMap((group) => group.rows.map((row) => `${row.type}/${row.name}`)), [groups]);
  const [focus, setFocus] = useState<string | null>(null);
  const tree = useRef<HTMLDivElement>(null);
  const current = address.screen === 'document' ? address.parts.join('/') : null;
  const stop = focus !== null && order.includes(focus) ? focus : current !== null && order.includes(current) ? current : order[0] ?? null;

  useEffect(() => {
    if (current === null) return;
    setFocus(current);
    tree.current?.querySelector<HTMLElement>('[aria-selected="true"]')?.scrollIntoView?.({ block: 'nearest' });
  }, [current]);

  const key = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey || stop === null) return;
    const from = order.indexOf(stop);
    let to: number;
    switch (event.key) {
      case 'ArrowDown': to = from + 1; break;
      case 'ArrowUp': to = from - 1; break;
      case 'Home': to = 0; break;
      case 'End': to = order.length - 1; break;
      default: {
        if (event.key.length !== 1 || event.key === ' ') return;
        const letter = event.key.toLowerCase();
        const turned = [...order.slice(from + 1), ...order.slice(0, from + 1)];
        const found = turned.find((one) => one.split('/')[1]?.startsWith(letter));
        to = found === undefined ? from : order.indexOf(found);
      }
    }
    event.preventDefault();
    const next = order[Math.min(order.length - 1, Math.max(0, to))];
    if (next === undefined) return;
    setFocus(next);
    tree.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(next)}"]`)?.focus();
  };

  return (
    <>
      <div className={styles.tree} ref={tree}>
        <div role="tree" aria-label="Definitions" onKeyDown={key}>
          {groups.map((group, at) => (
            <Fragment key={group.type}>
              <div role="treeitem" aria-level={1} aria-expanded="true" aria-selected="false" aria-posinset={at + 1} aria-setsize={groups.length} className={styles.group}>
                <span>{group.many}</span>
                {group.known && <IconButton small icon="plus" label={`New ${group.one}`} onClick={() => create(group.type)} />}
              </div>
              {group.rows.length === 0 && <div role="none" className={styles.none}>None yet</div>}
              {group.rows.map((row, index) => <Leaf key={row.name} row={row} at={index + 1} of={group.rows.length} chosen={current} stop={stop} dirty={dirty} errors={counted.get(`${row.type}/${row.name}`)?.errors ?? 0} went={went} focused={setFocus} />)}
            </Fragment>
          ))}
        </div>
        {folder.problems.length > 0 && (
          <ul aria-label="What is wrong with the folder" className={styles.none} style={{ paddingLeft: 8, paddingTop: 10 }}>
            {alike.map(({ paths, message, hint }) => (
              <li key={message} style={{ marginBottom: 8 }}>
                {paths.map((path) => <div key={path} className={styles.mark} data-tone="warn" style={{ display: 'flex' }}><ToneIcon tone="warn" /><code>{path}</code></div>)}
                <Words text={`${message}${hint ? ` ${hint}` : ''}`} />
              </li>
            ))}
          </ul>
        )}
      </div>
      <nav className={styles.places} aria-label="Places">
        {PLACES.map((place) => (
          <a key={place.title} className={styles.leaf} href={format(place.address)} draggable={false} onClick={went}
            aria-current={keyOf(place.address) === here || place.also === address.screen ? 'page' : undefined}>
            <Icon name={place.icon} />
            <span className={styles.leafName}>{place.title}</span>
            {place.title === 'Publish' && folder.unpublished !== null && folder.unpublished > 0 && (
              <span className={styles.mark} title={`${folder.unpublished} not published`}>{folder.unpublished}</span>
            )}
            {place.title === 'Views' && <ViewMark rows={folder.documents} />}
          </a>
        ))}
      </nav>
    </>
  );
}

function Leaf({ row, at: position, of, chosen, stop, dirty, errors, went, focused }: {
  row: DocumentRow; at: number; of: number; chosen: string | null; stop: string | null; dirty: ReadonlySet<string>; errors: number; went: () => void; focused: (key: string) => void;
}) {
  const own = `${row.type}/${row.name}`;
  return (
    <a role="treeitem" aria-level={2} aria-posinset={position} aria-setsize={of} aria-selected={own === chosen} data-key={own}
      className={styles.leaf} tabIndex={own === stop ? 0 : -1} href={format(at('document', [row.type, row.name]))}
      data-faded={row.state === 'retired' || undefined} title={row.description ?? row.path}
      onClick={went} onFocus={() => focused(own)} draggable={false}>
      <Icon name={typeIcon(row.type)} />
      <span className={styles.leafName}>{row.name}</span>
      <RowMarks row={row} dirty={dirty.has(own)} errors={errors} />
    </a>
  );
}

function RowMarks({ row, dirty, errors }: { row: DocumentRow; dirty: boolean; errors: number }) {
  const sign = documentSign({ ...row, state: errors > 0 && row.state !== 'retired' ? 'problems' : row.state, problems: errors });
  const wrong = errors > 0 && row.state !== 'retired';
  const standing = row.standing && row.standing.state !== 'live' ? rowStandingSign(row.standing) : null;
  return (
    <>
      {standing && <span className={styles.mark} data-tone={standing.tone} title={standing.sentence}><ToneIcon tone={standing.tone} />{standing.word}</span>}
      {row.state === 'saved' && !wrong
        ? standing === null && <span className={styles.mark} title={sign.sentence}>{row.version !== null && `v${row.version}`}</span>
        : (
          <span className={styles.mark} data-tone={sign.tone} title={sign.sentence}>
            {wrong ? <><ToneIcon tone="bad" />{errors}<span className="visually-hidden">{errors === 1 ? ' problem' : ' problems'}</span></> : sign.word}
          </span>
        )}
      {dirty && <span className={styles.dot} title="Typed, not on disk"><span className="visually-hidden">, not on disk</span></span>}
    </>
  );
}

function ViewMark({ rows }: { rows: readonly DocumentRow[] }) {
  const stalled = rows.filter((row) => row.standing?.state === 'stalled').length;
  return stalled > 0
    ? <span className={styles.mark} data-tone="bad" title={`${stalled} stalled`}><ToneIcon tone="bad" />{stalled}<span className="visually-hidden"> stalled</span></span>
    : null;
}

export const openDocument = (type: string, name: string): void => go(at('document', [type, name]));
