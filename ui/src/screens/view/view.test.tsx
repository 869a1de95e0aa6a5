import { act, configure, fireEvent, screen, waitFor } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import { Refusal } from '../../api/transport';
import type { Rehearsal, Scrub, ScrubStep, ViewAnswer } from '../../api/types';
import { FakeTransport, check, documentText, show } from '../../testing/fake';
import View from './view';

// The bench waits for people, and machines under load are slow.
vi.setConfig({ testTimeout: 40_000 });
configure({ asyncUtilTimeout: 15_000 });

const TEXT = '---\nlanguage: typescript\n---\nexport function fold(view: View, event: Event): View {\n  return event.data.name.slice();\n}\n';
const event = (id: string) => ({ id, type: 'com.example.spend', source: '/bank', time: '2026-10-03T12:00:00.000Z', data: { amount: 3 } });

const answer = (given: Partial<ViewAnswer> = {}): ViewAnswer => ({
  standing: { state: 'live', version: 2, folded: 1000, lag_ms: 0 }, view: { a: 1 }, view_bytes: 7, view_bytes_most: 524_288, filters: [{ sentence: 'each spend', type: 'com.example.spend', taken: null }], ...given,
});
const stalled = (given: Partial<ViewAnswer> = {}): ViewAnswer => answer({
  standing: { state: 'stalled', version: 2, folded: 911, lag_ms: 9000, stalled: { event: { id: 'first', type: 'com.example.spend' }, kind: 'raised' } },
  stalled: { event: event('first'), before: { a: 1 }, error: 'TypeError: no', line: 5, kind: 'raised', waiting: 42 }, ...given,
});
const runtime = (given: ViewAnswer) => new FakeTransport()
  .on('GET /studio/api/views/spend', given)
  .on('GET /studio/api/documents/recall/spend', documentText({ type: 'recall', name: 'spend', text: TEXT, saved_text: TEXT, version: 2, check: check() }));

describe('going through the events', () => {
  const index = (given: Partial<Scrub> = {}): Scrub => ({ version: 2, indexed: 1000, folded: 1000, state: 'ready', sizes: [[0, 2], [500, 900], [1000, 400]], peak: { index: 500, bytes: 900 }, ...given });
  const step = (at: number): ScrubStep => ({ index: at, event: at === 0 ? null : event(`e${at}`), before: at === 0 ? null : { a: at - 1 }, after: at === 0 ? {} : { a: at, [`key-${at}`]: 1 }, bytes_before: at === 0 ? null : 10, bytes_after: 12, work: 0 });
  const opened = (given: Partial<Scrub> = {}) => {
    const transport = runtime(answer()).on('GET /studio/api/views/spend/scrub', () => index(given));
    for (let at = 0; at <= 1000; at += 1) transport.on(`GET /studio/api/views/spend/scrub/${at}`, () => step(at));
    return transport;
  };

  test('it stands at the last event, and keys, the number and the ends lead elsewhere', async () => {
    location.hash = '#/view/spend?show=scrub';
    await act(async () => { dispatchEvent(new Event('hashchange')); });
    const transport = opened();
    show(transport, <View name="spend" />);
    const slider = await screen.findByRole('slider', { name: 'Event' });
    expect(slider.getAttribute('aria-valuetext')).toMatch(/^Event 1,000 of 1,000/);
    await screen.findByText('key-1000');
    expect(screen.getByText('1 added, 1 changed')).toBeTruthy();
    expect(screen.getByText('+2 bytes')).toBeTruthy();
    fireEvent.keyDown(slider, { key: 'PageDown' });
    await screen.findByText('key-990');
    fireEvent.keyDown(slider, { key: 'ArrowRight' });
    await screen.findByText('key-991');
    fireEvent.keyDown(slider, { key: 'Home' });
    await screen.findByText('The view before any event');
    const number = screen.getByRole('textbox', { name: /Event/ });
    fireEvent.change(number, { target: { value: '1,2' } });
    expect(number.getAttribute('aria-invalid')).toBe('false');
    fireEvent.change(number, { target: { value: '2000' } });
    expect(number.getAttribute('aria-invalid')).toBe('true');
    fireEvent.change(number, { target: { value: '500' } });
    fireEvent.keyDown(number, { key: 'Enter' });
    await screen.findByText('key-500');
    await waitFor(() => expect(location.hash).toContain('at=500'));
    expect(document.activeElement).toBe(slider);
  });

  test('an address leads to its event, a jump is a step of its own, and back leads back', async () => {
    location.hash = '#/view/spend?show=scrub&at=7';
    await act(async () => { dispatchEvent(new Event('hashchange')); });
    const transport = opened().on('POST /studio/api/views/spend/scrub/jump', { index: 500, why: null });
    show(transport, <View name="spend" />);
    await screen.findByText('key-7');
    fireEvent.click(screen.getByRole('button', { name: 'Grew it most' }));
    await screen.findByText('key-500');
    expect(transport.sent('POST /studio/api/views/spend/scrub/jump')[0]?.body).toEqual({ to: 'grew', from: 1000 });
    expect(location.hash).toContain('at=500');
    await act(async () => { history.back(); await new Promise((done) => { addEventListener('hashchange', done, { once: true }); }); });
    await screen.findByText('key-7');
  });

  test('what is not found is said in words, and a time that is none as well', async () => {
    location.hash = '#/view/spend?show=scrub&at=7';
    await act(async () => { dispatchEvent(new Event('hashchange')); });
    const transport = opened().on('POST /studio/api/views/spend/scrub/jump', { index: null, why: null });
    show(transport, <View name="spend" />);
    await screen.findByText('key-7');
    fireEvent.click(screen.getByRole('button', { name: 'Added a member…' }));
    fireEvent.change(screen.getByLabelText('The event that added the member'), { target: { value: 'zzz' } });
    fireEvent.click(screen.getByRole('button', { name: 'Go' }));
    await screen.findByText(/No event up to here added/);
    fireEvent.click(screen.getByRole('button', { name: 'At a time…' }));
    fireEvent.change(screen.getByLabelText('The last event at or before'), { target: { value: 'noon' } });
    fireEvent.click(screen.getByRole('button', { name: 'Go' }));
    await screen.findByText(/That is no time/);
    expect(transport.sent('POST /studio/api/views/spend/scrub/jump')).toHaveLength(1);
  });

  test('while the index is built, its part is ready and says how far it is', async () => {
    location.hash = '#/view/spend?show=scrub&at=900';
    await act(async () => { dispatchEvent(new Event('hashchange')); });
    const transport = opened({ state: 'indexing', indexed: 40 });
    show(transport, <View name="spend" />);
    await screen.findByText('key-40');
    expect(screen.getByRole('meter', { name: 'Ready to go through' }).getAttribute('aria-valuetext')).toBe('40 of 1,000 events');
    transport.on('GET /studio/api/views/spend/scrub', index());
    await screen.findByText('key-900');
  });

  test('nothing folded, nothing to go through', async () => {
    location.hash = '#/view/spend?show=scrub';
    await act(async () => { dispatchEvent(new Event('hashchange')); });
    show(runtime(answer({ standing: { state: 'live', version: 1, folded: 0, lag_ms: 0 }, filters: [
      { sentence: 'each spend', type: 's', taken: 0, nearest: { count: 142, type: 's', attribute: 'subject', value: 'b', wanted: 'a', sentence: '142 events of b were recorded, none of a.' } }] })), <View name="spend" />);
    await screen.findByText('142 events of b were recorded, none of a.');
    expect(screen.getByText('It took no event.')).toBeTruthy();
    expect(screen.queryByRole('tab', { name: 'Scrub' })).toBeNull();
  });
});

describe('the repair bench', () => {
  const rehearsal = (given: Partial<Rehearsal>): Rehearsal => ({ state: 'going', scope: 'all', folded: 10, read: 10, known: 954, ms: 10, sizes: [[0, 2], [10, 80]], view_bytes: 90, ...given });
  const typed = async (text: string) => {
    const editor = await screen.findByRole('textbox', { name: 'Text of recall/spend' });
    const view = (editor as unknown as { cmTile: { root: { view: { state: { doc: { length: number } }; dispatch: (change: object) => void } } } }).cmTile.root.view;
    act(() => view.dispatch({ changes: { from: view.state.doc.length, insert: text } }));
  };
  const opened = async (more: (transport: FakeTransport) => void = () => undefined, given = stalled()) => {
    location.hash = '#/view/spend';
    await act(async () => { dispatchEvent(new Event('hashchange')); });
    const transport = runtime(given)
      .on('POST /studio/api/views/spend/refold', ({ body }: { body: { text: string } }) => (body.text === TEXT ? { outcome: 'stalled', kind: 'raised', error: 'TypeError: no', line: 5 } : { outcome: 'folded', before: { a: 1 }, after: { a: 2 }, bytes: 7, work: 0, ms: 0.2 }))
      .on('POST /studio/api/views/spend/rehearse', ({ body }: { body: { scope: string } }) => ({ rehearsal: body.scope }))
      .on('GET /studio/api/views/spend/rehearse/last', rehearsal({ state: 'reached_end', scope: 'last', folded: 100, known: 100, view: { a: 3 } }));
    more(transport);
    show(transport, <View name="spend" />);
    await screen.findByText('The fold raised an error.');
    return transport;
  };

  test('it says why at the event, and what waits behind', async () => {
    await opened();
    expect(screen.getByText(/42 events wait behind it/)).toBeTruthy();
    await screen.findByText('A member is missing.');
    await screen.findByText(/Still stalls/);
    expect(screen.getByRole('button', { name: 'Try all 954 events' }).getAttribute('title')).toContain('does not fold');
    expect(screen.getByRole('button', { name: 'Save and rebuild' }).getAttribute('aria-disabled')).toBe('true');
  });

  test('once the pair folds and nobody types, the last hundred are tried by themselves; all only by a button, and then it may be saved', async () => {
    const transport = await opened((one) => one.on('GET /studio/api/views/spend/rehearse/all', rehearsal({ state: 'reached_end', folded: 954 })));
    await typed('// mended');
    await screen.findByText('Folds this event');
    expect(screen.getByRole('button', { name: 'Save anyway' })).toBeTruthy();
    expect(screen.getByText(/Not every event was tried/)).toBeTruthy();
    await screen.findByText(/The 100 events tried fold/);
    expect(transport.sent('POST /studio/api/views/spend/rehearse').map((call) => (call.body as { scope: string }).scope)).toEqual(['last']);
    fireEvent.click(screen.getByRole('button', { name: 'Try all 954 events' }));
    await screen.findByText(/All 954 events fold/);
    expect(screen.getByRole('button', { name: 'Save and rebuild' }).getAttribute('aria-disabled')).toBeNull();
    expect(screen.getByText('Version 3 is built from the first event; runs are refused meanwhile.')).toBeTruthy();
    // A letter more, and it is another text.
    await typed('!');
    await screen.findByRole('button', { name: 'Save anyway' });
  });

  test('where it stalls next is shown in the same way, with the way back', async () => {
    await opened((one) => one.on('GET /studio/api/views/spend/rehearse/last', rehearsal({ state: 'stalled', scope: 'last', folded: 4, known: 100, stalled: { event: { ...event('later'), type: 'com.example.later' }, before: { b: 9 }, kind: 'schema', error: null, line: null, index: 5 } })));
    await typed('// mended');
    await screen.findByRole('tree', { name: 'The event it stalls at further on' });
    expect(screen.getByText(/Further on, at event 5 of those it takes/)).toBeTruthy();
    expect(screen.getByText('The fold returned a view that view.schema refuses.')).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Back to the first stall' }));
    await screen.findByRole('tree', { name: 'The event the view stopped at' });
    fireEvent.click(screen.getByRole('button', { name: 'To where it stalls next' }));
    await screen.findByRole('tree', { name: 'The event it stalls at further on' });
  });

  test('a trial can be stopped, and says how far it came', async () => {
    let stopped = false;
    const transport = await opened((one) => one
      .on('GET /studio/api/views/spend/rehearse/all', () => rehearsal(stopped ? { state: 'stopped', folded: 400 } : { folded: 290, read: 300, ms: 1000 }))
      .on('POST /studio/api/views/spend/rehearse/all/stop', () => { stopped = true; return {}; }));
    await typed('// mended');
    await screen.findByText('Folds this event');
    fireEvent.click(screen.getByRole('button', { name: 'Try all 954 events' }));
    await waitFor(() => expect(screen.getByRole('meter', { name: 'All events' }).getAttribute('aria-valuetext')).toBe('300 of 954 events, 300 a second, 2.2 s left'));
    fireEvent.click(screen.getByRole('button', { name: 'Stop' }));
    await screen.findByText(/Stopped after 400 events/);
    expect(transport.sent('POST /studio/api/views/spend/rehearse/all/stop')).toHaveLength(1);
  });

  test('the events are kept as a case under a name, and a taken name is answered with another', async () => {
    const transport = await opened((one) => one.on('POST /studio/api/views/spend/cases', ({ body }: { body: { case: string } }) => {
      if (body.case === 'spend-raised') throw new Refusal({ status: 409, detail: 'The file is there already.', reason: 'conflict' });
      return { path: `tests/recall/spend/${body.case}.yaml`, folds: 12, bytes_before: 4096, bytes_after: 90, event: {} };
    }));
    fireEvent.click(await screen.findByRole('button', { name: 'Keep as a case' }));
    const field = screen.getByLabelText<HTMLInputElement>('Name of the case');
    expect(field.value).toBe('spend-raised');
    fireEvent.click(screen.getByRole('button', { name: 'Keep' }));
    await screen.findByText('The file is there already.');
    expect(field.value).toBe('spend-raised-2');
    fireEvent.click(screen.getByRole('button', { name: 'Keep' }));
    await screen.findByText('tests/recall/spend/spend-raised-2.yaml');
    expect(screen.getByText(/shrank from 4.0 KiB to 90 bytes/)).toBeTruthy();
    expect(transport.sent('POST /studio/api/views/spend/cases')[1]?.body).toMatchObject({ text: TEXT, case: 'spend-raised-2' });
  });

  test.each([
    ['size', { largest: [{ name: 'a', bytes: 500_000 }] }, 'The largest member of the view before is'],
    ['size', { largest: [{ name: 'a', bytes: 90 }] }, 'None of its 1 member stands out'],
    ['schema', { issue: { pointer: '/a', detail: 'Expected a whole number', found: '"1"' } }, 'The fold returned'],
    ['unfit', { issue: { path: '/a', found: 'a Date' } }, /At .*the fold returned a Date/],
    ['work', {}, /what walks over it grows with it/],
    ['crash', {}, /It was tried twenty times/],
  ])('the hint of %s says what is known of it', async (kind, more, words) => {
    const given = stalled();
    location.hash = '#/view/spend';
    show(runtime({ ...given, stalled: { ...given.stalled!, kind, error: null, line: null, before: { a: ['x'] }, ...more } }).on('POST /studio/api/views/spend/refold', { outcome: 'stalled', kind }), <View name="spend" />);
    const hints = await screen.findByRole('note', { name: 'What to try' });
    expect(hints.textContent).toMatch(words);
  });
});

test('after a repair the view stands against the one of the version before', async () => {
  location.hash = '#/view/spend';
  await act(async () => { dispatchEvent(new Event('hashchange')); });
  show(runtime(answer({ standing: { state: 'live', version: 3, folded: 4, lag_ms: 0 }, view: { a: 2, b: 1 }, replaced: { version: 2, view: { a: 1 } } })), <View name="spend" />);
  fireEvent.click(await screen.findByRole('button', { name: 'Compare with version 2' }));
  await screen.findByText(/Against version 2, as it stood when it was replaced: 1 added, 1 changed\./);
});
