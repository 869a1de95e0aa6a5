/** Lays flowcharts out beside the interface's thread. */

import type { Flowchart } from '../api/workflow';
import { place, type Placed } from './layout';

export interface Asked { turn: number; chart: Flowchart }

export type Answered = { turn: number; placed: Placed } | { turn: number; failed: string };

onmessage = (message: MessageEvent<Asked>) => {
  const { turn, chart } = message.data;
  let answer: Answered;
  try { answer = { turn, placed: place(chart) }; } catch (error) { answer = { turn, failed: String(error) }; }
  postMessage(answer);
};
