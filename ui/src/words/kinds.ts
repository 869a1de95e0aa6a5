/** The types of definitions in the seed's order, with their words. */

import type { DocumentRow } from '../api/types';

export type Document = Pick<DocumentRow, 'state' | 'version' | 'problems'>;

export interface Type { type: string; one: string; many: string; what: string; known: boolean }

/** Workflows first, then the functions in the order of the format pages. */
export const TYPES: readonly Type[] = [
  { type: 'workflow', one: 'workflow', many: 'Workflows', what: 'Steps that call functions', known: true },
  { type: 'reasoning', one: 'reasoning function', many: 'Reasoning', what: 'Asks a model', known: false },
  { type: 'interaction', one: 'interaction function', many: 'Interaction', what: 'Asks a person or a service', known: true },
  { type: 'prediction', one: 'prediction function', many: 'Prediction', what: 'Answers from a trained model', known: false },
  { type: 'recall', one: 'recall function', many: 'Recall', what: 'Keeps a view of what happened', known: true },
  { type: 'computation', one: 'computation function', many: 'Computation', what: 'Works out an answer from its input', known: true },
];

export function typeWords(type: string): Type {
  return TYPES.find((known) => known.type === type) ?? { type, one: type, many: type, what: '', known: false };
}

/** A name or a playbook id: 3 to 48 lowercase letters, digits and hyphens, a letter first. */
export const NAME = /^[a-z][a-z0-9-]{2,47}$/;
