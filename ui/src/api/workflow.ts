/** The shapes of workflows in the Studio's API: their drawing, their text, and their runs. */

import type { Json, Rejection, Span } from './types';

export type NodeKind = 'trigger' | 'call' | 'switch' | 'raise' | 'set' | 'wait' | 'listen' | 'emit' | 'end';

export type GroupKind = 'for' | 'do' | 'fork' | 'try';

/** A box of the drawing. `reference` is the task's JSON Pointer in the document. */
export interface FlowNode { id: string; kind: NodeKind; label: string; number?: string; reference?: string; group?: string }

export interface FlowGroup { id: string; kind: GroupKind; label: string; number: string; reference: string; group?: string }

export type EdgeKind = 'flow' | 'catch' | 'next_item' | 'skip';

export interface FlowEdge { from: string; to: string; label?: string; kind: EdgeKind }

export interface Flowchart { nodes: FlowNode[]; groups: FlowGroup[]; edges: FlowEdge[] }

/** Bytes of the text in UTF-8. */
export type Bytes = Span;

export type { Json, Rejection };

/** A task in the text: bytes of the whole item, of its name, and of the value of each of its fields. */
export interface OutlineTask { pointer: string; name: string; kind: string; number: string; whole: Bytes; key: Bytes; fields: { [field: string]: Bytes } }

export interface WorkflowOutline { tasks: OutlineTask[] }

/** What a check finds of a workflow besides its problems. */
export interface WorkflowCheck { flowchart: Flowchart | null; outline: WorkflowOutline | null }
