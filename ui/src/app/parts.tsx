/** The small parts every screen is made of. Must not know screens or calls. */

import { useId, useRef } from 'react';
import type { ButtonHTMLAttributes, KeyboardEvent, ReactNode } from 'react';
import type { Sign, Tone } from '../words/state';
import { localTime, utcTime } from '../words/time';
import { wordsOf } from '../api/transport';
import { Icon, ToneIcon, type IconName } from './icons';
import styles from './parts.module.css';

export const cx = (...names: (string | false | null | undefined)[]): string => names.filter(Boolean).join(' ');

type Look = 'usual' | 'primary' | 'danger' | 'plain';

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: Look;
  icon?: IconName;
  /** Why it cannot be used now: it stays visible, and says so. */
  why?: string | undefined;
}

export function Button({ look = 'usual', icon, why, children, className, onClick, title, ...rest }: ButtonProps) {
  return (
    <button type="button" {...rest} className={cx(styles.button, look !== 'usual' && styles[look], className)}
      aria-disabled={why ? true : undefined} title={why ?? title}
      onClick={(event) => (why ? event.preventDefault() : onClick?.(event))}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

export interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> { icon: IconName; label: string; small?: true }

export function IconButton({ icon, label, small, className, ...rest }: IconButtonProps) {
  return (
    <button type="button" {...rest} aria-label={label} title={rest.title ?? label}
      className={cx(styles.icon, small && styles.small, className)}>
      <Icon name={icon} />
    </button>
  );
}

/** A state by icon, word and colour. */
export function SignMark({ sign, look = 'text' }: { sign: Sign; look?: 'text' | 'chip' }) {
  return (
    <span className={cx(styles.sign, styles[sign.tone], look === 'chip' && styles.chip)} title={sign.sentence}>
      <ToneIcon tone={sign.tone} />
      {sign.word}
    </span>
  );
}

/** A sentence that concerns the whole screen: never a dialog, never in the way of typing. */
export function Band({ tone, children, actions, role = 'status', inset }: {
  tone: Tone; children: ReactNode; actions?: ReactNode; role?: 'status' | 'alert' | 'note'; inset?: true;
}) {
  return (
    <div className={cx(styles.band, styles[tone], inset && styles.inset)} role={role}>
      <ToneIcon tone={tone} />
      <div className={styles.bandWords}>{children}</div>
      {actions && <div className={styles.bandActions}>{actions}</div>}
    </div>
  );
}

export function Blank({ icon, title, children, actions }: { icon?: IconName; title: string; children?: ReactNode; actions?: ReactNode }) {
  return (
    <div className={styles.blank}>
      {icon && <Icon name={icon} />}
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {actions && <div className={styles.blankActions}>{actions}</div>}
    </div>
  );
}

export function Loading({ what }: { what: string }) {
  return <div className={styles.loading} role="status"><span className={styles.busy}><ToneIcon tone="busy" /></span>{what}</div>;
}

export function Failure({ error, title, again }: { error: unknown; title: string; again?: () => void }) {
  return (
    <Blank icon="error" title={title} actions={again && <Button onClick={again}>Read again</Button>}>{wordsOf(error)}</Blank>
  );
}

/** A sentence of the runtime; what it quotes between backticks is code. */
export function Words({ text }: { text: string }) {
  return <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>;
}

/** Local time, with UTC on hover. */
export function Time({ at }: { at: string | null | undefined }) {
  return <time dateTime={at ?? undefined} title={utcTime(at)}>{localTime(at)}</time>;
}

export function Key({ children }: { children: string }) {
  return <kbd className={styles.key}>{children}</kbd>;
}

export interface TabChoice { id: string; title: string; note?: string | number | undefined; tone?: 'bad' | 'warn' | undefined }

/** A row of tabs after the ARIA pattern; the arrows choose. */
export function Tabs({ label, tabs, chosen, choose, end, idBase }: {
  label: string; tabs: readonly TabChoice[]; chosen: string; choose: (id: string) => void; end?: ReactNode; idBase: string;
}) {
  const row = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent) => {
    const at = tabs.findIndex((tab) => tab.id === chosen);
    const to = event.key === 'ArrowRight' ? at + 1 : event.key === 'ArrowLeft' ? at - 1
      : event.key === 'Home' ? 0 : event.key === 'End' ? tabs.length - 1 : null;
    if (to === null) return;
    const next = tabs[(to + tabs.length) % tabs.length];
    if (!next || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    choose(next.id);
    row.current?.querySelector<HTMLElement>(`#${CSS.escape(`${idBase}-tab-${next.id}`)}`)?.focus();
  };
  return (
    <div className={styles.tabs}>
      <div ref={row} role="tablist" aria-label={label} onKeyDown={move} style={{ display: 'flex', gap: 2 }}>
        {tabs.map((tab) => (
          <button key={tab.id} type="button" role="tab" id={`${idBase}-tab-${tab.id}`} className={styles.tab}
            aria-selected={tab.id === chosen} aria-controls={tab.id === chosen ? `${idBase}-panel` : undefined}
            tabIndex={tab.id === chosen ? 0 : -1} onClick={() => choose(tab.id)}>
            {tab.title}
            {tab.note !== undefined && <span className={styles.tabNote} data-tone={tab.tone}>{tab.note}</span>}
          </button>
        ))}
      </div>
      {end && <div className={styles.tabsEnd}>{end}</div>}
    </div>
  );
}

export function TabPanel({ idBase, chosen, children, className, label }: {
  idBase: string; chosen: string; children: ReactNode; className?: string | undefined; label?: string;
}) {
  return (
    <div role="tabpanel" id={`${idBase}-panel`} aria-label={label} className={className}
      {...(label ? {} : { 'aria-labelledby': `${idBase}-tab-${chosen}` })}>
      {children}
    </div>
  );
}

export function Field({ label, note, problem, children }: {
  label: string; note?: ReactNode; problem?: string | undefined; children: (given: { id: string; 'aria-describedby': string | undefined; 'aria-invalid': boolean }) => ReactNode;
}) {
  const id = useId();
  const about = note || problem ? `${id}-about` : undefined;
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      {children({ id, 'aria-describedby': about, 'aria-invalid': problem !== undefined })}
      {about && <small id={about} data-tone={problem ? 'bad' : undefined}>{problem ?? note}</small>}
    </div>
  );
}

/** How full something is: words first, the bar beside them. Amber from 80 %, red past the bound. */
export function Meter({ label, value, most, words }: { label: string; value: number; most: number; words: string }) {
  const share = most > 0 ? value / most : 0;
  const tone = share > 1 ? 'bad' : share >= 0.8 ? 'warn' : undefined;
  return (
    <div className={styles.meter} role="meter" aria-label={label} aria-valuemin={0} aria-valuemax={most}
      aria-valuenow={Math.min(value, most)} aria-valuetext={words} title={words}>
      <div className={styles.meterWords}><span>{label}</span><span>{words}</span></div>
      <div className={styles.meterBar} data-tone={tone}><i style={{ width: `${Math.min(100, share * 100)}%` }} /></div>
    </div>
  );
}

export { styles as partStyles };
