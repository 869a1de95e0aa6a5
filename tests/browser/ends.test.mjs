// Line ends and other bytes of a document: opened, looked at and saved it is the same file, and an edit changes its own lines.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { freshHome, onPage, sample, serveStudio, until } from './studio.mjs';

const tests = resolve(import.meta.dirname, '..');
const NAME = 'approve-campaign';
const FILE = `workflow/${NAME}.yaml`;
const EDITOR = `Text of workflow/${NAME}`;
const HASH = `#/document/workflow/${NAME}`;
const plain = readFileSync(join(sample, FILE), 'utf8');

const COMMENTS = ['# it\'s "odd" `quoted`: {{ x }} ${ y } \u201ctoo\u201d \u00e9\ud83d\ude00\u2028\t', `# ${'long '.repeat(400)}`];
/** Comments, odd quotes and a long line where the front matter or the YAML begins, and the title in quotes of its own. */
function dressed(text) {
  const lines = text.split('\n');
  lines.splice(1, 0, ...COMMENTS);
  return lines.join('\n').replace(/^( *title: )(\w[^'"\n]*)$/m, '$1"$2" # \'"');
}
const crlf = (text) => text.replaceAll('\n', '\r\n');
/** Every third line ends otherwise. */
const mixed = (text) => text.split('\n').map((line, at, all) => (at === all.length - 1 ? line : line + (at % 3 === 1 ? '\n' : '\r\n'))).join('');

const KINDS = {
  crlf: crlf(dressed(plain)),
  'crlf without a last line end': crlf(dressed(plain).trimEnd()),
  'mixed ends': mixed(dressed(plain)),
  'lone carriage returns': dressed(plain).replaceAll('\n', '\r'),
  'a byte order mark': `\ufeff${crlf(dressed(plain))}`,
  lf: dressed(plain),
};

/** Sets the cursor before the first place of some words, as a click there does. */
const cursorAt = (studio, words) => studio.editor(EDITOR).evaluate((content, sought) => {
  const { view } = content.cmTile.root;
  view.dispatch({ selection: { anchor: view.state.doc.toString().indexOf(sought) }, scrollIntoView: true });
  view.focus();
}, words);

/** A save while another is on its way does nothing. */
const saved = (page) => until('the text on the disk, and nothing on its way', async () => (await page.getByText(/^(?:not on disk|saving)$/).count()) === 0);

for (const [kind, bytes] of Object.entries(KINDS)) {
  test(`a workflow with ${kind} is saved as it was, and a letter changes its own line`, () => onPage(`ends-${kind.replaceAll(' ', '-')}`, { hash: HASH, home: (home) => home.write(FILE, bytes) }, async (studio) => {
    const { page, editor, home } = studio;
    await editor(EDITOR).waitFor();
    // Looked at and saved.
    for (const tab of ['Changes', 'Run']) await page.getByRole('tab', { name: tab, exact: true }).click();
    assert.equal(await page.getByText('not on disk', { exact: true }).count(), 0);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText(/^(?:Saved as version|On disk)/).first().waitFor();
    assert.equal(home.read(FILE), bytes);
    await saved(page);

    // A letter, a new line of its own, and back.
    await cursorAt(studio, 'approve one that');
    await page.keyboard.type('x');
    await page.getByText('not on disk', { exact: true }).first().waitFor();
    await page.keyboard.press('Control+s');
    const typed = bytes.replace('approve one that', 'xapprove one that');
    await until('the letter on the disk', () => home.read(FILE) !== bytes);
    assert.equal(home.read(FILE), typed);
    await saved(page);

    await cursorAt(studio, 'revise:');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.keyboard.type('# new');
    await page.keyboard.press('Control+s');
    await until('the line on the disk', () => home.read(FILE) !== typed);
    const now = home.read(FILE);
    await saved(page);
    const [, end] = /revise:(\r\n|\r|\n)/.exec(typed);
    assert.equal(now.replace(new RegExp(`revise:${end} *# new${end}`), `revise:${end}`), typed);

    for (let turn = 0; turn < 8; turn += 1) await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+s');
    await until('the text as it was', () => home.read(FILE) === bytes);
  }));
}

test('a step and its lines, and a problem and its place, meet in a text whose lines end in CRLF', () => onPage('ends-places', { hash: HASH, home: (home) => home.write(FILE, KINDS.crlf) }, async (studio) => {
  const { page, editor, edit } = studio;
  await editor(EDITOR).waitFor();
  const node = page.getByRole('option', { name: /^3 Set campaign, verdict and note/ }).first();
  await node.waitFor({ state: 'attached' });
  for (const words of ['- revise:', 'note: ${ $context']) {
    await cursorAt(studio, '# it');
    await until('no step', async () => (await node.getAttribute('aria-selected')) !== 'true');
    await cursorAt(studio, words);
    await page.keyboard.press('ArrowRight');
    await until(`the step of ${words}`, async () => (await node.getAttribute('aria-selected')) === 'true');
  }
  await page.locator('svg g[data-kind=call]').first().click();
  const here = () => editor(EDITOR).evaluate((content) => {
    const { state } = content.cmTile.root.view;
    return state.doc.sliceString(state.selection.main.head, state.selection.main.head + 7);
  });
  await until('the cursor where the step’s name begins', async () => (await here()) === 'review:');
  await edit(EDITOR, '$workflow.input.owner', '$workflows.input.owner');
  await page.getByText(/Cannot find name '\$workflows'/).first().waitFor();
  await page.keyboard.press('F8');
  const around = await editor(EDITOR).evaluate((content) => {
    const { state } = content.cmTile.root.view;
    return state.doc.sliceString(state.selection.main.head, state.selection.main.head + 13);
  });
  assert.equal(around, '${ $workflows');
}));

test('texts that differ in their line ends alone differ, and a comparison says so', () => onPage('ends-compare', { hash: HASH }, async (studio) => {
  const { page, editor, edit, home } = studio;
  await editor(EDITOR).waitFor();
  await edit(EDITOR, 'Checks a campaign brief', 'Mine checks a brief');
  home.write(FILE, crlf(plain));
  await page.getByText('The file changed outside').waitFor();
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByText('Theirs, on disk, line ends CRLF').waitFor();
  await page.getByText('Mine, line ends LF').waitFor();
  await page.getByRole('button', { name: 'Take theirs' }).click();
  await page.getByText('The file changed outside').waitFor({ state: 'detached' });
  await edit(EDITOR, 'Checks a campaign brief', 'Looks at a brief');
  await page.keyboard.press('Control+s');
  await until('the new words', () => home.read(FILE).includes('Looks at a brief'));
  assert.equal(home.read(FILE), crlf(plain).replace('Checks a campaign brief', 'Looks at a brief'));
}));

/** Every document that the repository holds, with its type. */
function documents() {
  const found = [];
  const walk = (folder, take) => {
    for (const name of readdirSync(folder).sort()) {
      const path = join(folder, name);
      if (statSync(path).isDirectory()) walk(path, take);
      else take(path);
    }
  };
  const add = (where, type, text) => found.push({ where, type, text });
  for (const type of ['computation', 'recall', 'interaction', 'workflow']) {
    walk(join(sample, type), (path) => {
      if (/(?<!\.overview)\.(?:md|ya?ml)$/.test(path)) add(path, type, readFileSync(path, 'utf8'));
    });
  }
  walk(join(tests, 'ows', 'examples'), (path) => add(path, 'workflow', readFileSync(path, 'utf8')));
  walk(join(tests, 'documents'), (path) => add(path, path.endsWith('.yaml') ? 'workflow' : 'recall', readFileSync(path, 'utf8')));
  walk(join(tests, 'spec'), (path) => {
    for (const [, , type, text] of readFileSync(path, 'utf8').matchAll(/^(`{3,})(?:markdown|yaml) (computation|recall|interaction|workflow)\/[^\n]*\n([^]*?)^\1$/gm)) add(path, type, text);
  });
  return found;
}

test('every example document, dressed, goes through the Studio’s document route as the same bytes', async (t) => {
  const home = freshHome();
  // The bytes are asked here, not the judge.
  home.env.PLAYBOOK_TSC = '/nowhere/tsc';
  const server = await serveStudio(home);
  try {
    const all = documents();
    assert.ok(all.length > 350, `${all.length} documents`);
    const others = [mixed, (text) => `\ufeff${crlf(text)}`, (text) => text.trimEnd(), (text) => crlf(text).trimEnd(), (text) => text];
    const bases = new Map();
    for (const [at, { where, type, text }] of all.entries()) {
      const path = `/studio/api/documents/${type}/round-trip`;
      const file = `${type}/round-trip.${type === 'workflow' ? 'yaml' : 'md'}`;
      const bytes = (at % 2 === 0 ? crlf : others[(at >> 1) % others.length])(dressed(text));
      if (Buffer.byteLength(bytes) > 65_536) continue;
      // Over what the document before left there, then opened, and saved as it is.
      const { document } = await server.ask('PUT', path, { text: bytes, base: bases.get(type) ?? null });
      assert.ok(home.read(file) === bytes, `saved ${where}`);
      const read = at % 10 === 0 ? await server.ask('GET', path) : document;
      assert.ok(read.text === bytes, `read ${where}`);
      const again = await server.ask('PUT', path, { text: read.text, base: read.base });
      assert.ok(home.read(file) === bytes, `saved unchanged ${where}`);
      bases.set(type, again.document.base);
    }
    t.diagnostic(`${all.length} documents`);
  } finally {
    await server.stop();
    home.remove();
  }
});
