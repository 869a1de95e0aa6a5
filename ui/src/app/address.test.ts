import { expect, test } from 'vitest';
import { at, format, keyOf, parse } from './address';
import { fits } from './palette';

test('an address and its hash are each other’s inverse', () => {
  for (const address of [at('home'), at('document', ['recall', 'campaign-reviews'], { side: 'overview' }), at('run', ['0199/å b']), at('runs', [], { status: 'rejected', name: 'a&b=c' })]) {
    expect(parse(format(address))).toEqual(address);
  }
});

test('an address that names no screen is home, and nothing breaks on a torn one', () => {
  expect(parse('#/nowhere/at/all').screen).toBe('home');
  expect(parse('#/document/%E0%A4%A').parts).toEqual(['%E0%A4%A']);
  expect(parse('').screen).toBe('home');
});

test('one tab holds what is chosen in a place', () => {
  expect(keyOf(at('document', ['recall', 'a'], { side: 'types' }))).toBe(keyOf(at('document', ['recall', 'a'])));
});

test('the palette finds by the start of words first, then by letters in order', () => {
  const rank = (title: string) => fits(title, 'run') ?? Infinity;
  expect(['Previous region', 'New recall function', 'Rerun', 'Show runs', 'Run it'].toSorted((one, other) => rank(one) - rank(other))).toEqual(['Run it', 'Show runs', 'Rerun', 'Previous region', 'New recall function'].toSorted((one, other) => rank(one) - rank(other)));
  expect(fits('Publish', 'xyz')).toBeNull();
  expect(fits('campaign-reviews', 'crev')).not.toBeNull();
});
