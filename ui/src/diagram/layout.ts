/**
 * Places a flowchart: each group is laid out for itself, inside out, and is then one box of the list
 * around it. An edge that leaves a group goes through a gate at its border, so that it passes around
 * what stands inside. Pure, and the same for the same flowchart; must not know React or workers.
 */

import { Graph, layout as rank } from '@dagrejs/dagre';
import type { EdgeKind, FlowEdge, FlowGroup, FlowNode, Flowchart } from '../api/workflow';
import { linesOf, widthOf } from './words';

export interface Point { x: number; y: number }

export interface Box { x: number; y: number; width: number; height: number }

export interface PlacedNode extends Box { id: string; lines: string[] }

export interface PlacedGroup extends Box { id: string; depth: number }

/** A line of the drawing, shared by all edges that run along it. */
export interface Stretch { id: string; points: Point[]; kind: EdgeKind; arrow: boolean; label?: { text: string } & Box; edges: number[] }

export interface Placed { width: number; height: number; nodes: PlacedNode[]; groups: PlacedGroup[]; stretches: Stretch[] }

const HEAD = 26;
const PAD = 14;
const LABEL_HEIGHT = 18;
const LABEL_MOST = 200;
const ROOT = '';
const ENTRY = '>';
const EXIT = '<';

interface Leg { key: string; from: string; to: string; kind: EdgeKind; label: string | undefined; arrow: boolean; edges: number[] }

interface Inside { box: { width: number; height: number }; places: Map<string, Box>; legs: Map<Leg, Route>; gates: Map<string, number> }

function sizeOf(node: FlowNode): { width: number; height: number; lines: string[] } {
  if (node.kind === 'end') return { width: Math.max(64, widthOf(node.label) + 32), height: 30, lines: [node.label] };
  const lines = linesOf(node.label, 196);
  const widest = Math.max(...lines.map((line) => widthOf(line)));
  const slant = node.kind === 'switch' ? 28 : node.kind === 'raise' || node.kind === 'trigger' ? 12 : 0;
  // The icon stands left of the words, the number above them.
  const width = Math.max(104, Math.ceil(widest) + 46 + slant);
  return { width, height: (node.number === undefined ? 16 : 29) + lines.length * 17, lines };
}

/** The groups around a box from the innermost out. A parent that does not exist, or a circle of them, ends the way. */
function parentsOf(group: string | undefined, groups: ReadonlyMap<string, FlowGroup>): string[] {
  const way: string[] = [];
  for (let now = group; now !== undefined && groups.has(now) && !way.includes(now); now = groups.get(now)?.group) way.push(now);
  return way;
}

export function place(chart: Flowchart): Placed {
  const groups = new Map(chart.groups.map((group) => [group.id, group]));
  const ways = new Map<string, string[]>();
  for (const node of chart.nodes) ways.set(node.id, parentsOf(node.group, groups));
  for (const group of chart.groups) ways.set(group.id, parentsOf(group.group, groups));
  const homeOf = (id: string) => ways.get(id)?.[0] ?? ROOT;

  const members = new Map<string, string[]>([[ROOT, []]]);
  for (const group of chart.groups) members.set(group.id, []);
  // Boxes in the order of the document, a group where its first box stands.
  const entered = new Set<string>();
  const enter = (id: string) => {
    if (entered.has(id)) return;
    entered.add(id);
    const home = homeOf(id);
    if (home !== ROOT) enter(home);
    members.get(home)?.push(id);
  };
  for (const node of chart.nodes) enter(node.id);
  for (const group of chart.groups) enter(group.id);

  const legs = legsOf(chart.edges, ways);
  const sizes = new Map(chart.nodes.map((node) => [node.id, sizeOf(node)]));
  const insides = new Map<string, Inside>();
  const order = [...chart.groups].sort((one, other) => (ways.get(other.id)?.length ?? 0) - (ways.get(one.id)?.length ?? 0));
  for (const home of [...order.map((group) => group.id), ROOT]) {
    const inside = placeInside(home, members.get(home) ?? [], legs.get(home) ?? [], insides, (id) => {
      const group = groups.get(id);
      if (!group) return sizes.get(id) ?? { width: 0, height: 0 };
      const box = insides.get(id)?.box ?? { width: 0, height: 0 };
      const head = widthOf(`${group.number} ${group.label}`) + 40;
      return { width: Math.max(box.width + PAD * 2, Math.min(head, 280)), height: box.height + HEAD + PAD };
    });
    insides.set(home, inside);
  }
  return gather(chart, groups, ways, insides, sizes);
}

/** Cuts each edge at the borders it crosses; what runs along the same way is one line. */
function legsOf(edges: readonly FlowEdge[], ways: ReadonlyMap<string, string[]>): Map<string, Leg[]> {
  const homes = new Map<string, Map<string, Leg>>();
  const add = (home: string, from: string, to: string, edge: FlowEdge, index: number, arrow: boolean, label: string | undefined) => {
    const own = homes.get(home) ?? new Map<string, Leg>();
    homes.set(home, own);
    const key = JSON.stringify([from, to, edge.kind, label ?? '']);
    const known = own.get(key);
    if (known) known.edges.push(index);
    else own.set(key, { key, from, to, kind: edge.kind, label, arrow, edges: [index] });
  };
  edges.forEach((edge, index) => {
    const out = ways.get(edge.from);
    const into = ways.get(edge.to);
    if (!out || !into) return;
    const shared = out.find((group) => into.includes(group)) ?? ROOT;
    const above = (way: readonly string[]) => (shared === ROOT ? [...way] : way.slice(0, way.indexOf(shared)));
    const leaving = above(out);
    const entering = above(into).reverse();
    // A box that is a group of its own way, such as an edge from a group to its first step, stays as it is.
    let from = edge.from;
    let label = edge.label;
    for (const group of leaving) {
      add(group, from, EXIT + edge.kind, edge, index, false, label);
      from = group;
      label = undefined;
    }
    const first = entering[0] ?? edge.to;
    add(shared, from, first, edge, index, entering.length === 0, label);
    for (const [at, group] of entering.entries()) {
      const next = entering[at + 1] ?? edge.to;
      add(group, ENTRY + edge.kind, next, edge, index, at === entering.length - 1, undefined);
    }
  });
  return new Map([...homes].map(([home, own]) => [home, [...own.values()]]));
}

function placeInside(home: string, ids: readonly string[], legs: readonly Leg[], insides: ReadonlyMap<string, Inside>, sizeFor: (id: string) => { width: number; height: number }): Inside {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: 30, edgesep: 18, ranksep: 34, marginx: home === ROOT ? 16 : 0, marginy: home === ROOT ? 16 : 0, ranker: ids.length > 120 ? 'longest-path' : 'network-simplex' });
  for (const id of ids) graph.setNode(id, { ...sizeFor(id) });
  const gates = new Set<string>();
  for (const leg of legs) for (const end of [leg.from, leg.to]) if (end.startsWith(ENTRY) || end.startsWith(EXIT)) gates.add(end);
  for (const gate of gates) graph.setNode(gate, { width: 8, height: 2 });
  for (const leg of legs) {
    if (!graph.hasNode(leg.from) || !graph.hasNode(leg.to)) continue;
    const label = leg.label === undefined || leg.label === '' ? { width: leg.kind === 'next_item' ? 26 : 0, height: 0 } : { width: Math.min(LABEL_MOST, widthOf(leg.label, 11) + 12), height: LABEL_HEIGHT };
    graph.setEdge(leg.from, leg.to, { ...label, labelpos: 'c', weight: leg.kind === 'flow' ? 4 : 1, minlen: 1 }, leg.key);
  }
  // What comes in comes from above everything, and what leaves leaves below everything.
  const real = graph.edges().map(({ v, w }) => [v, w] as const);
  const hasIn = new Set(real.filter(([v, w]) => v !== w).map(([, w]) => w));
  const hasOut = new Set(real.filter(([v, w]) => v !== w).map(([v]) => v));
  for (const gate of gates) {
    for (const id of ids) {
      if (gate.startsWith(ENTRY) ? !hasIn.has(id) : !hasOut.has(id)) graph.setEdge(...(gate.startsWith(ENTRY) ? [gate, id] as const : [id, gate] as const), { width: 0, height: 0, weight: 0, minlen: 1 }, 'unseen');
    }
  }
  if (ids.length > 0 || gates.size > 0) rank(graph);
  const boxes = new Map(graph.nodes().map((id) => {
    const { x = 0, y = 0, width: w, height: h } = graph.node(id) as { x?: number; y?: number; width: number; height: number };
    return [id, { x: x - w / 2, y: y - h / 2, width: w, height: h }] as const;
  }));
  const routes = new Map<Leg, Route>();
  for (const leg of legs) {
    const edge = graph.edge({ v: leg.from, w: leg.to, name: leg.key }) as { points?: Point[]; x?: number; y?: number } | undefined;
    if (!edge?.points) continue;
    const named = leg.label !== undefined && leg.label !== '' && edge.x !== undefined && edge.y !== undefined;
    routes.set(leg, { points: edge.points.map(({ x, y }) => ({ x, y })), ...(named ? { label: { x: edge.x ?? 0, y: edge.y ?? 0 } } : {}) });
  }
  tighten(ids, gates, boxes, routes);
  for (const [leg, route] of routes) bend(route, leg, boxes, insides);
  return framed(home, gates, boxes, routes);
}

interface Route { points: Point[]; label?: Point }

/** Gates need no rank of their own: they move close to what stands next to them, further where a label needs the room. */
function tighten(ids: readonly string[], gates: ReadonlySet<string>, boxes: Map<string, Box>, routes: ReadonlyMap<Leg, Route>): void {
  const own = ids.flatMap((id) => boxes.get(id) ?? []);
  if (own.length === 0 || gates.size === 0) return;
  const top = Math.min(...own.map((box) => box.y));
  const bottom = Math.max(...own.map((box) => box.y + box.height));
  const entries = [...gates].filter((gate) => gate.startsWith(ENTRY)).flatMap((gate) => boxes.get(gate) ?? []);
  const exits = [...gates].filter((gate) => gate.startsWith(EXIT)).flatMap((gate) => boxes.get(gate) ?? []);
  const labels = [...routes.values()].flatMap((route) => (route.label ? [route.label.y] : []));
  const over = entries.length === 0 ? 0 : top - Math.min(...entries.map((box) => box.y));
  const under = exits.length === 0 ? 0 : Math.max(...exits.map((box) => box.y)) - bottom;
  const gap = (labelled: boolean) => (labelled ? 34 : 14);
  const near = gap(labels.some((y) => y < top)) / Math.max(over, 1);
  const far = gap(labels.some((y) => y > bottom)) / Math.max(under, 1);
  const map = (y: number): number => (y < top ? top - (top - y) * Math.min(1, near) : y > bottom ? bottom + (y - bottom) * Math.min(1, far) : y);
  for (const box of [...entries, ...exits]) box.y = map(box.y);
  for (const route of routes.values()) {
    for (const point of route.points) point.y = map(point.y);
    if (route.label) route.label.y = map(route.label.y);
  }
}

/** The same with its upper left corner at nothing. */
function framed(home: string, gates: ReadonlySet<string>, boxes: ReadonlyMap<string, Box>, routes: Map<Leg, Route>): Inside {
  const places = new Map<string, Box>();
  let left = Infinity;
  let top = Infinity;
  let right = 0;
  let bottom = 0;
  const hold = (box: Box) => {
    left = Math.min(left, box.x);
    top = Math.min(top, box.y);
    right = Math.max(right, box.x + box.width);
    bottom = Math.max(bottom, box.y + box.height);
  };
  for (const box of boxes.values()) hold(box);
  for (const [leg, { points, label }] of routes) {
    for (const point of points) hold({ x: point.x - 4, y: point.y, width: 8, height: 0 });
    if (label && leg.label !== undefined) hold(labelBox(leg.label, label));
  }
  if (!Number.isFinite(left)) return { box: { width: 0, height: 0 }, places, legs: routes, gates: new Map() };
  if (home === ROOT) { left -= 16; top -= 16; right += 16; bottom += 16; }
  const shift = ({ x, y }: Point): Point => ({ x: x - left, y: y - top });
  for (const [id, box] of boxes) places.set(id, { ...box, ...shift(box) });
  for (const route of routes.values()) {
    route.points = route.points.map(shift);
    if (route.label) route.label = shift(route.label);
  }
  const gateAt = new Map([...gates].map((gate) => { const box = places.get(gate); return [gate, box ? box.x + box.width / 2 : 0]; }));
  return { box: { width: right - left, height: bottom - top }, places, legs: routes, gates: gateAt };
}

function gather(chart: Flowchart, groups: ReadonlyMap<string, FlowGroup>, ways: ReadonlyMap<string, string[]>, insides: ReadonlyMap<string, Inside>, sizes: ReadonlyMap<string, { width: number; height: number; lines: string[] }>): Placed {
  const nodes: PlacedNode[] = [];
  const frames: PlacedGroup[] = [];
  const stretches: Stretch[] = [];
  const known = new Set(chart.nodes.map((node) => node.id));
  const walk = (home: string, offset: Point, room: Box | null) => {
    const inside = insides.get(home);
    if (!inside) return;
    const at = new Map<string, Box>();
    for (const [id, box] of inside.places) {
      const placed = { x: box.x + offset.x, y: box.y + offset.y, width: box.width, height: box.height };
      at.set(id, placed);
      if (known.has(id) && !groups.has(id)) nodes.push({ id, ...placed, lines: sizes.get(id)?.lines ?? [] });
    }
    for (const [id, box] of at) {
      if (!groups.has(id)) continue;
      frames.push({ id, ...box, depth: ways.get(id)?.length ?? 0 });
      const inner = insides.get(id)?.box ?? { width: 0, height: 0 };
      walk(id, { x: box.x + (box.width - inner.width) / 2, y: box.y + HEAD }, box);
    }
    for (const [leg, { points, label }] of inside.legs) {
      const moved = points.map((point) => ({ x: point.x + offset.x, y: point.y + offset.y }));
      // A gate lies on the border itself.
      const first = moved[0];
      const last = moved.at(-1);
      if (first && room && leg.from.startsWith(ENTRY)) moved.unshift({ x: first.x, y: room.y });
      if (last && room && leg.to.startsWith(EXIT)) moved.push({ x: last.x, y: room.y + room.height });
      stretches.push({
        id: `${home}|${leg.key}`, points: moved, kind: leg.kind, arrow: leg.arrow, edges: leg.edges,
        ...(label && leg.label !== undefined ? { label: labelBox(leg.label, { x: label.x + offset.x, y: label.y + offset.y }) } : {}),
      });
    }
  };
  walk(ROOT, { x: 0, y: 0 }, null);
  const root = insides.get(ROOT)?.box ?? { width: 0, height: 0 };
  return { width: root.width, height: root.height, nodes, groups: frames, stretches };
}

function labelBox(text: string, at: Point): { text: string } & Box {
  const width = Math.min(LABEL_MOST, widthOf(text, 11) + 12);
  return { text, x: at.x - width / 2, y: at.y - LABEL_HEIGHT / 2, width, height: LABEL_HEIGHT };
}

/** Lets a line end where it meets the box or the gate, coming straight from above or below. */
function bend(route: Route, leg: Leg, at: ReadonlyMap<string, Box>, insides: ReadonlyMap<string, Inside>): void {
  const { points } = route;
  const from = at.get(leg.from);
  const to = at.get(leg.to);
  const first = points[0];
  const last = points.at(-1);
  if (!from || !to || !first || !last || leg.from === leg.to) return;
  if (to.y + to.height <= from.y) {
    backwards(route, from, to);
    return;
  }
  const gateX = (id: string, box: Box, gate: string): number | null => {
    const inside = insides.get(id);
    const x = inside?.gates.get(gate);
    return inside && x !== undefined ? box.x + (box.width - inside.box.width) / 2 + x : null;
  };
  // Between two neighbours one bend is enough; what dagre puts between them is room for a label.
  if (points.length === 3 && !route.label) points.splice(1, 1);
  first.y = from.y + from.height;
  first.x = leg.from.startsWith(ENTRY) ? from.x + from.width / 2 : gateX(leg.from, from, EXIT + leg.kind) ?? spread(from, points[1]?.x ?? first.x);
  last.y = to.y;
  last.x = leg.to.startsWith(EXIT) ? to.x + to.width / 2 : gateX(leg.to, to, ENTRY + leg.kind) ?? spread(to, points.at(-2)?.x ?? last.x);
}

/** An edge against the flow leaves and arrives at a side, so that it reads as going back. */
function backwards(route: Route, from: Box, to: Box): void {
  const between = route.points.slice(1, -1).filter((point) => point.y < from.y && point.y > to.y + to.height);
  const middle = between.length === 0 ? Math.min(from.x, to.x) - 16 : between.reduce((sum, point) => sum + point.x, 0) / between.length;
  const right = middle > (from.x + from.width / 2 + to.x + to.width / 2) / 2;
  const beside = (box: Box, x: number) => (right ? Math.max(x, box.x + box.width + 16) : Math.min(x, box.x - 16));
  const side = (box: Box) => (right ? box.x + box.width : box.x);
  const outer = beside(from, beside(to, middle));
  // With one rank between there is one lane; otherwise it goes where dagre found room.
  const lane = between.length <= 3 ? [{ x: outer, y: from.y + from.height / 2 }, { x: outer, y: to.y + to.height / 2 }]
    : [{ x: beside(from, between[0]?.x ?? outer), y: from.y + from.height / 2 }, ...between, { x: beside(to, between.at(-1)?.x ?? outer), y: to.y + to.height / 2 }];
  route.points = [{ x: side(from), y: from.y + from.height / 2 }, ...lane, { x: side(to), y: to.y + to.height / 2 }];
  if (route.label && between.length <= 3) route.label.x = outer;
}

/** Where a line meets a box's border: near the middle, a little towards where the line comes from. */
function spread(box: Box, towards: number): number {
  const middle = box.x + box.width / 2;
  return middle + Math.max(-box.width / 3, Math.min(box.width / 3, (towards - middle) / 3));
}
