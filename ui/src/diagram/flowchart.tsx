/**
 * A workflow as a drawing that follows its text. For readers it is a list of its numbered steps, and
 * the arrow keys walk along the edges. Must not know documents or runs: it is told what is lit.
 */

import { memo, useCallback, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { KeyboardEvent, PointerEvent } from 'react';
import type { FlowGroup, FlowNode, Flowchart as Chart, GroupKind, NodeKind } from '../api/workflow';
import { Icon, type IconName } from '../app/icons';
import { Band, Blank, Button, IconButton, Loading, cx } from '../app/parts';
import { count } from '../words/time';
import styles from './flowchart.module.css';
import type { Box, Placed, PlacedGroup, PlacedNode, Point, Stretch } from './layout';
import { useDrawn } from './place';
import { keyOf, walk } from './walk';
import { cut, widthOf } from './words';

/** Above this it is drawn only when it is asked for. */
const NODES_UNASKED = 300;

const ICONS: Record<NodeKind | GroupKind, IconName> = {
  trigger: 'bolt', call: 'play', switch: 'branch', raise: 'error', set: 'note', wait: 'clock', listen: 'ear', emit: 'signal', end: 'flag',
  for: 'loop', do: 'list', fork: 'fork', try: 'shield',
};

export const kindIcon = (kind: NodeKind | GroupKind): IconName => ICONS[kind];

const KIND_WORDS: Record<NodeKind | GroupKind, string> = {
  trigger: 'starts it', call: 'call', switch: 'decision', raise: 'raises an error', set: 'sets data', wait: 'waits', listen: 'listens', emit: 'emits', end: 'end',
  for: 'loop', do: 'list', fork: 'branches at once', try: 'with recovery',
};

export interface FlowchartProps {
  chart: Chart;
  label: string;
  /** The task that is chosen, by its reference. */
  chosen: string | null;
  choose: (key: string | null) => void;
  /** Enter, or a double click. */
  open?: ((key: string) => void) | undefined;
  /** Esc. */
  leave?: (() => void) | undefined;
  /** Keys of whoever shows it, before its own; true for one that was taken. */
  keys?: ((event: KeyboardEvent) => boolean) | undefined;
  /** The references a run has been at; nothing where no run is shown. */
  lit?: ReadonlySet<string> | undefined;
  /** Where the run stands. */
  current?: string | null | undefined;
  stale?: boolean | undefined;
}

export function Flowchart(props: FlowchartProps) {
  const [asked, setAsked] = useState(false);
  const many = props.chart.nodes.length > NODES_UNASKED && !asked;
  const { drawn, failed } = useDrawn(many ? null : props.chart);
  if (props.chart.nodes.length === 0) return <Blank icon="workflow" title="No steps yet">The drawing follows the steps under <code>do</code>.</Blank>;
  if (many) return <Blank icon="workflow" title={`${count(props.chart.nodes.length, 'box', 'boxes')} are not drawn by themselves`} actions={<Button onClick={() => setAsked(true)}>Draw them</Button>}>The steps in words stand in the overview.</Blank>;
  if (failed && drawn === null) return <Band tone="warn" role="note">The drawing could not be laid out. The steps in words stand in the overview.</Band>;
  if (drawn === null) return <Loading what="Drawing" />;
  return <Drawing {...props} chart={drawn.chart} placed={drawn.placed} stale={props.stale === true || failed} />;
}

interface View { x: number; y: number; scale: number }

const clamp = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value));

function Drawing({ chart, placed, label, chosen, choose, open, leave, keys, lit, current, stale }: FlowchartProps & { placed: Placed }) {
  const id = useId();
  const frame = useRef<HTMLDivElement>(null);
  const moved = useRef<SVGGElement>(null);
  const view = useRef<View>({ x: 0, y: 0, scale: 1 });
  const touched = useRef(false);

  const move = useCallback((next: View) => {
    view.current = next;
    moved.current?.setAttribute('transform', `translate(${next.x.toFixed(1)} ${next.y.toFixed(1)}) scale(${next.scale.toFixed(4)})`);
  }, []);
  const fit = useCallback((whole: boolean) => {
    const box = frame.current;
    if (!box) return;
    const across = (box.clientWidth || 400) / placed.width;
    const down = (box.clientHeight || 400) / placed.height;
    // By itself it stays legible and shows its beginning; when asked, it shows all of it.
    const scale = whole ? clamp(Math.min(across, down), 0.05, 1.2) : clamp(Math.min(across, Math.max(down, 0.62)), 0.45, 1);
    const x = Math.max(scale === across ? 0 : 0, ((box.clientWidth || 400) - placed.width * scale) / 2);
    const y = whole ? Math.max(0, ((box.clientHeight || 400) - placed.height * scale) / 2) : 0;
    move({ x: whole || placed.width * scale <= (box.clientWidth || 400) ? x : startX(placed, scale, box.clientWidth || 400), y, scale });
  }, [placed, move]);
  const zoom = useCallback((by: number, at?: Point) => {
    const box = frame.current;
    if (!box) return;
    touched.current = true;
    const { x, y, scale } = view.current;
    const next = clamp(scale * by, 0.05, 2.5);
    const about = at ?? { x: box.clientWidth / 2, y: box.clientHeight / 2 };
    move({ x: about.x - (about.x - x) * (next / scale), y: about.y - (about.y - y) * (next / scale), scale: next });
  }, [move]);

  useLayoutEffect(() => { if (touched.current) move(view.current); else fit(false); }, [fit, move]);
  useEffect(() => {
    const box = frame.current;
    if (!box || typeof ResizeObserver === 'undefined') return;
    const seen = new ResizeObserver(() => { if (!touched.current) fit(false); });
    seen.observe(box);
    return () => seen.disconnect();
  }, [fit]);
  // React listens to the wheel passively, which would scroll the page as well.
  useEffect(() => {
    const box = frame.current;
    if (!box) return;
    const wheel = (event: WheelEvent) => {
      event.preventDefault();
      const edge = box.getBoundingClientRect();
      if (event.ctrlKey || event.metaKey) zoom(Math.exp(-clamp(event.deltaY, -60, 60) / 160), { x: event.clientX - edge.left, y: event.clientY - edge.top });
      else {
        touched.current = true;
        const { x, y, scale } = view.current;
        const line = event.deltaMode === 1 ? 24 : 1;
        move({ x: x - (event.shiftKey ? event.deltaY : event.deltaX) * line, y: y - (event.shiftKey ? 0 : event.deltaY) * line, scale });
      }
    };
    box.addEventListener('wheel', wheel, { passive: false });
    return () => box.removeEventListener('wheel', wheel);
  }, [move, zoom]);

  const drag = useRef<{ from: Point; view: View; far: boolean } | null>(null);
  const down = (event: PointerEvent) => {
    if (event.button !== 0 && event.button !== 1) return;
    drag.current = { from: { x: event.clientX, y: event.clientY }, view: view.current, far: false };
  };
  const dragged = (event: PointerEvent) => {
    const held = drag.current;
    if (!held) return;
    const by = { x: event.clientX - held.from.x, y: event.clientY - held.from.y };
    if (!held.far && Math.hypot(by.x, by.y) < 4) return;
    if (!held.far) frame.current?.setPointerCapture?.(event.pointerId);
    held.far = true;
    touched.current = true;
    move({ ...held.view, x: held.view.x + by.x, y: held.view.y + by.y });
  };
  const up = () => { const held = drag.current; setTimeout(() => { if (drag.current === held) drag.current = null; }); };

  const boxes = useMemo(() => new Map<string, Box>([...placed.nodes, ...placed.groups].map((box) => [box.id, box])), [placed]);
  const things = useMemo(() => [...chart.nodes, ...chart.groups], [chart]);
  const chosenId = chosen === null ? null : things.find((one) => keyOf(one) === chosen)?.id ?? null;

  const show = useCallback((box: Box) => {
    const room = frame.current;
    if (!room || room.clientWidth === 0) return;
    const { x, y, scale } = view.current;
    const left = box.x * scale + x;
    const top = box.y * scale + y;
    const wide = Math.min(box.width * scale, room.clientWidth - 24);
    const tall = Math.min(box.height * scale, room.clientHeight - 24);
    const dx = left < 12 ? 12 - left : left + wide > room.clientWidth - 12 ? room.clientWidth - 12 - left - wide : 0;
    const dy = top < 12 ? 12 - top : top + tall > room.clientHeight - 12 ? room.clientHeight - 12 - top - tall : 0;
    if (dx !== 0 || dy !== 0) { touched.current = true; move({ x: x + dx, y: y + dy, scale }); }
  }, [move]);
  const followed = current ?? null;
  useEffect(() => {
    const key = chosenId ?? (followed === null ? null : things.find((one) => keyOf(one) === followed)?.id ?? null);
    const box = key === null ? undefined : boxes.get(key);
    if (box) show(box);
  }, [chosenId, followed, boxes, things, show]);

  const chooseId = useCallback((next: string) => {
    if (drag.current?.far) return;
    const found = things.find((one) => one.id === next);
    if (found) choose(keyOf(found));
    frame.current?.focus({ preventScroll: true });
  }, [things, choose]);

  const key = (event: KeyboardEvent) => {
    if (keys?.(event)) { event.preventDefault(); return; }
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === '+' || event.key === '=') { event.preventDefault(); zoom(1.25); return; }
    if (event.key === '-') { event.preventDefault(); zoom(0.8); return; }
    if (event.key === '0') { event.preventDefault(); touched.current = true; fit(true); return; }
    if (event.key === 'Escape') { if (leave) { event.preventDefault(); leave(); } return; }
    if (event.key === 'Enter') {
      if (chosen !== null && open) { event.preventDefault(); open(chosen); }
      return;
    }
    const next = walk(chart, placed, chosenId, event.key);
    if (next === null) return;
    event.preventDefault();
    const found = things.find((one) => one.id === next);
    if (found) choose(keyOf(found));
  };

  return (
    <div className={styles.wrap} data-stale={stale || undefined}>
      <div ref={frame} className={styles.frame} tabIndex={0} role="listbox" aria-label={label} aria-activedescendant={chosenId === null ? undefined : `${id}-${chosenId}`}
        onKeyDown={key} onPointerDown={down} onPointerMove={dragged} onPointerUp={up} onPointerCancel={up}>
        <Words id={id} chart={chart} chosenId={chosenId} lit={lit} current={current} />
        <svg className={styles.picture} aria-hidden="true">
          <defs>
            {['plain', 'lit', 'caught', 'back'].map((look) => (
              <marker key={look} id={`${id}-${look}`} viewBox="0 0 8 8" refX="6.6" refY="4" markerWidth="8" markerHeight="8" orient="auto" markerUnits="userSpaceOnUse"><path d="M0.8 0.8 7 4 0.8 7.2z" data-look={look} className={styles.tip} /></marker>
            ))}
          </defs>
          <g ref={moved}><Picture id={id} chart={chart} placed={placed} chosenId={chosenId} lit={lit} current={current} chooseId={chooseId} open={open} /></g>
        </svg>
      </div>
      <div className={styles.tools} role="group" aria-label="View of the drawing">
        <IconButton small icon="plus" label="Larger" title="Larger (+)" onClick={() => zoom(1.25)} />
        <IconButton small icon="minus" label="Smaller" title="Smaller (-)" onClick={() => zoom(0.8)} />
        <IconButton small icon="fit" label="All of it" title="All of it (0)" onClick={() => { touched.current = true; fit(true); }} />
      </div>
    </div>
  );
}

/** A wide drawing begins where its first box is. */
function startX(placed: Placed, scale: number, room: number): number {
  const first = placed.nodes[0];
  const middle = first ? first.x + first.width / 2 : placed.width / 2;
  return clamp(room / 2 - middle * scale, room - placed.width * scale, 0);
}

/** The same as a list, for readers. */
const Words = memo(function Words({ id, chart, chosenId, lit, current }: { id: string; chart: Chart; chosenId: string | null; lit: ReadonlySet<string> | undefined; current: string | null | undefined }) {
  const labels = new Map([...chart.nodes, ...chart.groups].map((box) => [box.id, box]));
  const leads = (node: FlowNode) => chart.edges.filter((edge) => edge.from === node.id).map((edge) => {
    const to = labels.get(edge.to);
    const name = to === undefined ? edge.to : `${to.number === undefined ? '' : `${to.number} `}${to.label}`;
    return edge.kind === 'catch' ? `on an error ${name}` : edge.kind === 'next_item' ? `for the next item ${name}` : edge.label ? `${edge.label}: ${name}` : name;
  }).join('; ');
  return (
    <div role="none" className="visually-hidden">
      {chart.groups.filter((group) => group.id === chosenId).map((group) => <div key={group.id} role="option" aria-selected="true" id={`${id}-${group.id}`}>{group.number} {group.label}, {KIND_WORDS[group.kind]}</div>)}
      {chart.nodes.map((node) => {
        const group = node.group === undefined ? undefined : labels.get(node.group);
        const on = leads(node);
        return (
          <div key={node.id} role="option" id={`${id}-${node.id}`} aria-selected={node.id === chosenId}>
            {node.number} {node.label}, {KIND_WORDS[node.kind]}{group ? `, in ${group.label}` : ''}{keyOf(node) === current ? ', the run is here' : lit?.has(keyOf(node)) ? ', run' : ''}{on === '' ? '' : `. Then ${on}`}
          </div>
        );
      })}
    </div>
  );
});

interface PictureProps { id: string; chart: Chart; placed: Placed; chosenId: string | null; lit: ReadonlySet<string> | undefined; current: string | null | undefined; chooseId: (id: string) => void; open: ((key: string) => void) | undefined }

const Picture = memo(function Picture({ id, chart, placed, chosenId, lit, current, chooseId, open }: PictureProps) {
  const nodes = useMemo(() => new Map(chart.nodes.map((node) => [node.id, node])), [chart]);
  const groups = useMemo(() => new Map(chart.groups.map((group) => [group.id, group])), [chart]);
  const walked = (index: number): boolean => {
    const edge = chart.edges[index];
    if (!edge || lit === undefined) return false;
    const ends = [edge.from, edge.to].map((end) => nodes.get(end) ?? groups.get(end));
    return ends.every((end) => end !== undefined && lit.has(keyOf(end)));
  };
  return (
    <>
      {placed.groups.map((box) => {
        const group = groups.get(box.id);
        return group && <Group key={box.id} box={box} group={group} chosen={box.id === chosenId} lit={lit?.has(keyOf(group))} choose={chooseId} />;
      })}
      {placed.stretches.map((stretch) => <Line key={stretch.id} id={id} stretch={stretch} lit={stretch.edges.some(walked)} faint={lit !== undefined} />)}
      {placed.groups.map((box) => {
        const group = groups.get(box.id);
        return group && <GroupTitle key={box.id} box={box} group={group} lit={lit?.has(keyOf(group))} choose={chooseId} />;
      })}
      {placed.nodes.map((box) => {
        const node = nodes.get(box.id);
        return node && <Node key={box.id} box={box} node={node} chosen={box.id === chosenId} lit={lit === undefined ? undefined : lit.has(keyOf(node))} current={current !== null && current !== undefined && keyOf(node) === current} choose={chooseId} open={open} />;
      })}
    </>
  );
});

function outline(kind: NodeKind, { width: w, height: h }: Box): string {
  switch (kind) {
    case 'switch': { const s = 14; return `M${s} 0H${w - s}L${w} ${h / 2}L${w - s} ${h}H${s}L0 ${h / 2}Z`; }
    case 'raise': { const s = 9; return `M${s} 0H${w - s}L${w} ${s}V${h - s}L${w - s} ${h}H${s}L0 ${h - s}V${s}Z`; }
    case 'trigger': case 'end': { const r = Math.min(h / 2, 18); return `M${r} 0H${w - r}A${r} ${r} 0 0 1 ${w} ${r}V${h - r}A${r} ${r} 0 0 1 ${w - r} ${h}H${r}A${r} ${r} 0 0 1 0 ${h - r}V${r}A${r} ${r} 0 0 1 ${r} 0Z`; }
    default: { const r = 6; return `M${r} 0H${w - r}A${r} ${r} 0 0 1 ${w} ${r}V${h - r}A${r} ${r} 0 0 1 ${w - r} ${h}H${r}A${r} ${r} 0 0 1 0 ${h - r}V${r}A${r} ${r} 0 0 1 ${r} 0Z`; }
  }
}

const Node = memo(function Node({ box, node, chosen, lit, current, choose, open }: { box: PlacedNode; node: FlowNode; chosen: boolean; lit: boolean | undefined; current: boolean; choose: (id: string) => void; open: ((key: string) => void) | undefined }) {
  const shift = node.kind === 'switch' ? 14 : node.kind === 'raise' || node.kind === 'trigger' ? 4 : 0;
  const first = node.number === undefined ? box.height / 2 - (box.lines.length - 1) * 8.5 + 4.5 : 31;
  return (
    <g transform={`translate(${box.x} ${box.y})`} className={styles.node} data-kind={node.kind} data-chosen={chosen || undefined} data-current={current || undefined} data-unlit={lit === false || undefined} data-lit={lit || undefined}
      onClick={() => choose(node.id)} onDoubleClick={() => open?.(keyOf(node))}>
      <title>{`${node.number === undefined ? '' : `${node.number} `}${node.label}`}</title>
      {(chosen || current) && <path d={outline(node.kind, box)} className={styles.halo} />}
      <path d={outline(node.kind, box)} className={styles.shape} />
      <g transform={`translate(${10 + shift} ${node.number === undefined ? box.height / 2 - 8 : box.height / 2 - 8})`} className={styles.icon}><Icon name={ICONS[node.kind]} /></g>
      {node.number !== undefined && <text x={33 + shift} y={15.5} className={styles.number}>{node.number}</text>}
      {box.lines.map((line, at) => <text key={at} x={33 + shift} y={first + at * 17} className={styles.words}>{line}</text>)}
    </g>
  );
});

const Group = memo(function Group({ box, group, chosen, lit, choose }: { box: PlacedGroup; group: FlowGroup; chosen: boolean; lit: boolean | undefined; choose: (id: string) => void }) {
  return (
    <g transform={`translate(${box.x} ${box.y})`} className={styles.group} data-kind={group.kind} data-chosen={chosen || undefined} data-depth={box.depth % 2} data-unlit={lit === false || undefined} onClick={() => choose(group.id)}>
      <title>{`${group.number} ${group.label}`}</title>
      <rect width={box.width} height={box.height} rx={9} className={styles.groupShape} />
    </g>
  );
});

/** Above the lines, which may pass behind it. */
const GroupTitle = memo(function GroupTitle({ box, group, lit, choose }: { box: PlacedGroup; group: FlowGroup; lit: boolean | undefined; choose: (id: string) => void }) {
  const most = box.width - 40;
  const words = cut(group.label, most - widthOf(group.number, 11) - 6, 12.5);
  return (
    <g transform={`translate(${box.x} ${box.y})`} className={styles.group} data-depth={box.depth % 2} data-unlit={lit === false || undefined} onClick={() => choose(group.id)}>
      <rect x={6} y={3} width={Math.min(box.width - 12, 32 + widthOf(`${group.number} ${words}`, 12.5))} height={21} rx={5} className={styles.titleBack} />
      <g transform="translate(9 6) scale(0.88)" className={styles.icon}><Icon name={ICONS[group.kind]} /></g>
      <text x={28} y={17.5} className={styles.groupWords}><tspan className={styles.number}>{group.number}</tspan>{` ${words}`}</text>
    </g>
  );
});

const r = (value: number): number => Math.round(value * 10) / 10;

/** A line through its points: smooth on its way down or up, with round corners where it turns aside. */
export function curve(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (!first) return '';
  const aside = points.some((point, at) => at > 0 && Math.abs(point.y - (points[at - 1]?.y ?? 0)) < 1 && Math.abs(point.x - (points[at - 1]?.x ?? 0)) > 1);
  let path = `M${r(first.x)} ${r(first.y)}`;
  rest.forEach((point, at) => {
    const before = points[at] ?? first;
    const next = points[at + 2];
    if (!aside) {
      const middle = r((before.y + point.y) / 2);
      path += Math.abs(before.x - point.x) < 0.5 ? `L${r(point.x)} ${r(point.y)}` : `C${r(before.x)} ${middle} ${r(point.x)} ${middle} ${r(point.x)} ${r(point.y)}`;
    } else if (!next) path += `L${r(point.x)} ${r(point.y)}`;
    else {
      const room = Math.min(10, Math.hypot(point.x - before.x, point.y - before.y) / 2, Math.hypot(next.x - point.x, next.y - point.y) / 2);
      const one = towards(point, before, room);
      const two = towards(point, next, room);
      path += `L${r(one.x)} ${r(one.y)}Q${r(point.x)} ${r(point.y)} ${r(two.x)} ${r(two.y)}`;
    }
  });
  return path;
}

function towards(from: Point, to: Point, by: number): Point {
  const far = Math.hypot(to.x - from.x, to.y - from.y);
  return far === 0 ? from : { x: from.x + ((to.x - from.x) / far) * by, y: from.y + ((to.y - from.y) / far) * by };
}

const Line = memo(function Line({ id, stretch, lit, faint }: { id: string; stretch: Stretch; lit: boolean; faint: boolean }) {
  const look = lit ? 'lit' : stretch.kind === 'catch' ? 'caught' : stretch.kind === 'next_item' ? 'back' : 'plain';
  return (
    <g className={cx(styles.line)} data-kind={stretch.kind} data-lit={lit || undefined} data-unlit={(faint && !lit) || undefined}>
      <path d={curve(stretch.points)} markerEnd={stretch.arrow ? `url(#${id}-${look})` : undefined} />
      {stretch.label && (
        <g transform={`translate(${stretch.label.x} ${stretch.label.y})`}>
          <rect width={stretch.label.width} height={stretch.label.height} rx={4} className={styles.labelBack} />
          <text x={stretch.label.width / 2} y={12.5} textAnchor="middle" className={styles.label}>{stretch.label.text.length > 34 ? `${stretch.label.text.slice(0, 33)}…` : stretch.label.text}</text>
        </g>
      )}
    </g>
  );
});
