// @vitest-environment node
import { expect, test } from 'vitest';
import { scaleOf } from './scale';

const DAY = 86_400_000;

test('two days without a record take little room, and all else keeps its order', () => {
  const moments = [0, 60, 4200, 9260, 11_000, 11_060, 11_060 + 2 * DAY];
  const { at, folds } = scaleOf(moments);
  expect(folds).toHaveLength(1);
  expect(folds[0]).toMatchObject({ from: 11_060, to: 11_060 + 2 * DAY });
  expect(at(11_060)).toBeGreaterThan(0.9);
  expect(at(4200)).toBeCloseTo((4200 / 11_060) * at(11_060), 5);
  expect(moments.map(at)).toEqual(moments.map(at).toSorted((one, other) => one - other));
  expect(at(11_060 + DAY)).toBeCloseTo((at(11_060) + 1) / 2, 5);
});

test('even times are not folded', () => expect(scaleOf([0, 10, 20, 30]).folds).toEqual([]));
test('one gap is the whole of it', () => expect(scaleOf([0, DAY])).toMatchObject({ folds: [] }));
test('nothing, or one moment', () => { expect(scaleOf([]).at(5)).toBe(0); expect(scaleOf([3, 3]).at(5)).toBe(0); });
