/** Icons, drawn inline so that both engines show the same. Always beside words or a label. */

import type { Tone } from '../words/state';

const SHAPES = {
  folder: 'M2 4.5A1.5 1.5 0 0 1 3.5 3h2.6l1.5 1.8h4.9A1.5 1.5 0 0 1 14 6.3v5.2a1.5 1.5 0 0 1-1.5 1.5h-9A1.5 1.5 0 0 1 2 11.5z',
  plus: 'M8 3.2v9.6M3.2 8h9.6',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.4 10.4 14 14',
  close: 'M4 4l8 8M12 4l-8 8',
  check: 'M3.2 8.4l3.2 3.2 6.4-7',
  play: 'M5 3.4v9.2l7.4-4.6z',
  save: 'M3 3h7.5L13 5.500V13H3zM5.500 3v3.500h4.500V3M5 13V9.200h6V13',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  down: 'M4 6.2 8 10.2 12 6.2',
  right: 'M6.2 4l4 4-4 4',
  left: 'M9.8 4l-4 4 4 4',
  side: 'M2.5 3.5h11v9h-11zM6 3.5v9',
  inspector: 'M2.5 3.5h11v9h-11zM10 3.5v9',
  panel: 'M2.5 3.5h11v9h-11zM2.5 9.5h11',
  runs: 'M3 4h.01M3 8h.01M3 12h.01M6 4h7.5M6 8h7.5M6 12h7.5',
  feed: 'M2.5 12.5a2 2 0 1 0 0-.01M2.5 7.2A6.3 6.3 0 0 1 8.8 13.5M2.5 2.8A10.7 10.7 0 0 1 13.2 13.5',
  view: 'M8 3c3.3 0 5.5.9 5.5 2S11.3 7 8 7 2.500 6.100 2.500 5 4.700 3 8 3zM2.500 5v6c0 1.100 2.200 2 5.500 2s5.500-.9 5.500-2V5M2.500 8c0 1.100 2.200 2 5.500 2s5.500-.9 5.500-2',
  publish: 'M8 10.500V3M4.800 6 8 2.800 11.200 6M3 10.500v2.500h10v-2.500',
  settings: 'M2.500 5h6M11.500 5h2M2.500 11h2M7.500 11h6M10 3.300v3.400M6 9.300v3.400',
  home: 'M2.500 7.500 8 3l5.500 4.500M4 6.500V13h8V6.500',
  file: 'M4 2.500h5l3 3v8H4zM9 2.500v3h3',
  alert: 'M8 2.800 14 13H2zM8 6.800v2.800M8 11.400v.01',
  error: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 5v3.600M8 10.800v.01',
  good: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM5.400 8.200l1.800 1.800 3.400-3.800',
  unsure: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM6.300 6.400a1.700 1.700 0 1 1 2.600 1.400c-.6.4-.9.700-.9 1.300M8 11.200v.01',
  info: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 7.400v3.600M8 5v.01',
  quiet: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM5 8h6',
  busy: 'M8 2a6 6 0 1 1-6 6',
  fix: 'M8 2.200l1.300 3.700 3.700 1.300-3.700 1.300L8 12.200 6.700 8.500 3 7.200l3.700-1.300zM12.500 11v3M11 12.500h3',
  copy: 'M5.500 5.500h8v8h-8zM10.500 5.500v-3h-8v8h3',
  outside: 'M6.500 3.500h-3v9h9v-3M9 3h4v4M13 3 7.500 8.500',
  workflow: 'M2.500 3h4v3h-4zM9.500 10h4v3h-4zM4.500 6v5.500h5',
  reasoning: 'M8 2.500l1.500 4 4 1.500-4 1.500-1.500 4-1.500-4-4-1.500 4-1.500z',
  interaction: 'M2.500 3.500h11v7h-6l-3 2.500v-2.500h-2z',
  prediction: 'M2.500 12.500l3.500-4 3 2 4.500-6M10.500 4.500h3v3',
  recall: 'M8 3c3.300 0 5.500.9 5.500 2S11.300 7 8 7 2.500 6.100 2.500 5 4.700 3 8 3zM2.500 5v6c0 1.100 2.200 2 5.500 2s5.500-.9 5.500-2V5',
  computation: 'M3.500 2.500h9v11h-9zM5.500 5h5M5.600 8h.01M8 8h.01M10.400 8h.01M5.600 10.800h.01M8 10.800h.01M10.400 10.800h.01',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.800V8l2.200 1.600',
  branch: 'M8 2.500 13.500 8 8 13.500 2.500 8zM8 5.800v2.600M8 10.200v.01',
  note: 'M3 3.500h10M3 6.500h10M3 9.500h6M3 12.500h4',
  bolt: 'M9 2 3.500 9H7.500L7 14l5.500-7H8.500z',
  ear: 'M3 8a5 5 0 0 1 10 0M5.500 8a2.500 2.500 0 0 1 5 0M8 8v5.500',
  signal: 'M8 8v5.500M5.300 10.200a3.800 3.800 0 1 1 5.400 0M3.200 12.300a6.700 6.700 0 1 1 9.600 0',
  flag: 'M4 14V2.500M4 3h8l-2 2.800L12 8.500H4',
  loop: 'M3 8a5 5 0 0 1 8.600-3.500L13 6M13 2.800V6H9.800M13 8a5 5 0 0 1-8.600 3.500L3 10M3 13.200V10h3.200',
  fork: 'M8 14V9M8 9 4 5V2.500M8 9l4-4V2.500',
  shield: 'M8 2 13 4v4c0 3-2.200 5-5 6-2.800-1-5-3-5-6V4z',
  list: 'M3 4h.01M3 8h.01M3 12h.01M6 4h7.500M6 8h7.500M6 12h7.500',
  first: 'M4 3.500v9M12 3.500 6.500 8l5.500 4.500z',
  last: 'M12 3.500v9M4 3.500 9.500 8 4 12.500z',
  pause: 'M5.500 3.500v9M10.500 3.500v9',
  inbox: 'M2.500 9.500 4 3.500h8l1.500 6v3.500h-11zM2.500 9.500h3.300c0 1.200.9 2 2.200 2s2.200-.8 2.200-2h3.300',
  fit: 'M2.500 5.500v-3h3M13.500 5.500v-3h-3M2.500 10.500v3h3M13.500 10.500v3h-3',
  minus: 'M3.200 8h9.600',
  pen: 'M3 13l.7-3L11 2.700 13.300 5 6 12.300zM9.500 4.200l2.300 2.300',
  trash: 'M3 4.500h10M6 4.500v-2h4v2M4.500 4.500l.6 9h5.800l.6-9',
  up: 'M4 9.800 8 5.800l4 4',
  undo: 'M5.500 3.500 3 6l2.500 2.500M3 6h6a3.500 3.500 0 0 1 0 7H6',
  diff: 'M4 2.500v11M12 2.500v11M2 8h4M10 8h4',
} as const;

export type IconName = keyof typeof SHAPES;

export function Icon({ name, className }: { name: IconName; className?: string | undefined }) {
  return (
    <svg viewBox="0 0 16 16" width="16" height="16" fill="none" stroke="currentColor" strokeWidth={name === 'more' ? 2 : 1.4}
      strokeLinecap="round" strokeLinejoin="round" aria-hidden="true" className={className}>
      <path d={SHAPES[name]} />
    </svg>
  );
}

const TONES: Record<Tone, IconName> = {
  good: 'good', quiet: 'quiet', busy: 'busy', warn: 'alert', bad: 'error', unsure: 'unsure', info: 'info',
};

export function ToneIcon({ tone, className }: { tone: Tone; className?: string }) {
  return <Icon name={TONES[tone]} className={className} />;
}

export function typeIcon(type: string): IconName {
  return type in SHAPES ? (type as IconName) : 'file';
}
