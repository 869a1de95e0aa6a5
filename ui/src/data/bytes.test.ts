// @vitest-environment node
import { expect, test } from 'vitest';
import { unitsOf } from './bytes';

const bytesTo = (text: string, unit: number) => new TextEncoder().encode(text.slice(0, unit)).length;

test.each(['plain', 'Grüße – 日本 🎈 e\u0301nd', ''])('%j: every place of the text is found again', (text) => {
  const units = [...Array(text.length + 1).keys()].filter((at) => !(text.charCodeAt(at) >= 0xdc00 && text.charCodeAt(at) <= 0xdfff));
  expect(unitsOf(text, units.map((unit) => bytesTo(text, unit)))).toEqual(units);
});

test('places out of order, and beyond the end', () => expect(unitsOf('äb', [3, 0, 2, 99])).toEqual([2, 0, 1, 2]));
