import { beforeEach, describe, expect, test } from 'vitest';
import { check, documentText } from '../testing/fake';
import { Drafts, isDirty } from './drafts';

const KEY = 'computation/score';
let opened: Drafts[] = [];
const open = () => {
  // As a window that went away: what was due is written.
  for (const before of opened) before.flush();
  const drafts = new Drafts('/books/reviews');
  opened = [drafts];
  return drafts;
};
const fresh = () => {
  const drafts = open();
  drafts.read(documentText());
  return drafts;
};

beforeEach(() => { opened = []; });

describe('the texts on screen', () => {
  test('a clean text follows its file', () => {
    const drafts = fresh();
    drafts.read(documentText({ text: 'two', base: 'b2' }));
    expect(drafts.get(KEY)).toMatchObject({ text: 'two', base: 'b2', conflict: null });
    expect(drafts.dirty().size).toBe(0);
  });

  test('a typed text stays when its file changes outside, and the difference is said', () => {
    const drafts = fresh();
    drafts.type(KEY, 'mine');
    drafts.read(documentText({ text: 'theirs', base: 'b2' }));
    expect(drafts.get(KEY)).toMatchObject({ text: 'mine', base: 'b1', conflict: { theirs: 'theirs', theirsBase: 'b2' } });
  });

  test('keep mine saves over the text that was seen, and no newer one', () => {
    const drafts = fresh();
    drafts.type(KEY, 'mine');
    drafts.read(documentText({ text: 'theirs', base: 'b2' }));
    expect(drafts.keepMine(KEY)).toBe('b2');
    expect(drafts.get(KEY)).toMatchObject({ text: 'mine', base: 'b2', conflict: null });
    expect(drafts.dirty().has(KEY)).toBe(true);
    drafts.read(documentText({ text: 'theirs again', base: 'b3' }));
    expect(drafts.get(KEY)?.conflict).toEqual({ theirs: 'theirs again', theirsBase: 'b3' });
  });

  test('take theirs is a clean text', () => {
    const drafts = fresh();
    drafts.type(KEY, 'mine');
    drafts.read(documentText({ text: 'theirs', base: 'b2' }));
    drafts.takeTheirs(KEY);
    expect(drafts.get(KEY)).toMatchObject({ text: 'theirs', base: 'b2', conflict: null });
    expect(drafts.dirty().size).toBe(0);
  });

  test('what is typed while a save is under way stays typed', () => {
    const drafts = fresh();
    drafts.type(KEY, 'mine');
    drafts.saving(KEY, true);
    drafts.type(KEY, 'mine, and more');
    drafts.saved(KEY, 'mine', documentText({ text: 'mine', base: 'b2', version: 2 }));
    expect(drafts.get(KEY)).toMatchObject({ text: 'mine, and more', base: 'b2', baseText: 'mine', saving: false });
    expect(drafts.dirty().has(KEY)).toBe(true);
    // The change that the save itself announces is no conflict.
    drafts.read(documentText({ text: 'mine', base: 'b2', version: 2 }));
    expect(drafts.get(KEY)).toMatchObject({ text: 'mine, and more', conflict: null });
  });

  test('an answer of the checker about an older text is dropped', () => {
    const drafts = fresh();
    drafts.type(KEY, 'newer');
    drafts.judged(KEY, 'older', check({ description: 'of the older' }));
    expect(drafts.get(KEY)?.check.description).toBeNull();
    drafts.judged(KEY, 'newer', check({ description: 'of the newer' }));
    expect(drafts.get(KEY)).toMatchObject({ checked: 'newer', check: { description: 'of the newer' } });
  });

  test('the last good check outlives a text that is wrong', () => {
    const drafts = fresh();
    drafts.judged(KEY, 'one', check({ overview_html: '<p>good</p>' }));
    drafts.type(KEY, 'wrong');
    const place = { span: { start: 0, end: 1 }, line: 1, column: 1, end_line: 1, end_column: 2 };
    drafts.judged(KEY, 'wrong', check({ problems: [{ code: 'x', severity: 'error', place, message: 'No.' }] }));
    expect(drafts.get(KEY)?.lastGood?.overview_html).toBe('<p>good</p>');
    drafts.judged(KEY, 'wrong', check({ judged: 'no' }));
    expect(drafts.get(KEY)?.lastGood?.overview_html).toBe('<p>good</p>');
  });

  test('after a crash the typed text is offered, and not lost before it is answered', () => {
    fresh().type(KEY, 'typed before the crash');
    const after = fresh();
    expect(after.get(KEY)).toMatchObject({ text: 'one', crash: { text: 'typed before the crash', base: 'b1' } });
    // Typing on does not overwrite the only copy while it is on offer.
    after.type(KEY, 'something else');
    expect(fresh().get(KEY)?.crash?.text).toBe('typed before the crash');
    after.restoreCrash(KEY);
    expect(after.get(KEY)).toMatchObject({ text: 'typed before the crash', crash: null, conflict: null });
  });

  test('a crash copy of a file that has changed since is a conflict when brought back', () => {
    fresh().type(KEY, 'mine');
    const after = open();
    after.read(documentText({ text: 'theirs', base: 'b2' }));
    after.restoreCrash(KEY);
    expect(after.get(KEY)).toMatchObject({ text: 'mine', base: 'b1', conflict: { theirs: 'theirs', theirsBase: 'b2' } });
  });

  test('a crash copy that is thrown away, or saved, is gone', () => {
    fresh().type(KEY, 'mine');
    const after = fresh();
    after.dropCrash(KEY);
    expect(fresh().get(KEY)?.crash).toBeNull();
    after.type(KEY, 'mine again');
    after.saved(KEY, 'mine again', documentText({ text: 'mine again', base: 'b2' }));
    after.flush();
    expect(localStorage.length).toBe(0);
  });

  test('a file deleted outside leaves the text to be saved anew', () => {
    const drafts = fresh();
    drafts.read(documentText({ state: 'missing', base: null }));
    const draft = drafts.get(KEY);
    expect(draft).toMatchObject({ text: 'one', gone: true, base: null });
    expect(draft && isDirty(draft)).toBe(true);
  });

  test('the copy is written once the keys rest, and at once when the window goes away', async () => {
    const drafts = fresh();
    drafts.type(KEY, 'a');
    drafts.type(KEY, 'ab');
    expect(localStorage.length).toBe(0);
    await new Promise((done) => setTimeout(done, 250));
    expect(JSON.parse(localStorage.getItem('playbook.unsaved:/books/reviews:computation/score') ?? '{}')).toMatchObject({ text: 'ab' });
    drafts.type(KEY, 'abc');
    dispatchEvent(new Event('pagehide'));
    expect(JSON.parse(localStorage.getItem('playbook.unsaved:/books/reviews:computation/score') ?? '{}')).toMatchObject({ text: 'abc' });
  });
});
