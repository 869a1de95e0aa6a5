// A document: problems while typing, saving, changes from outside, nothing typed is ever lost.

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import { launch, onPage, freshHome, openPage, serveStudio, until } from './studio.mjs';

const FUNCTION = 'Text of computation/review-brief';
const FILE = 'computation/review-brief.md';
const HASH = '#/document/computation/review-brief';
const lineOf = (text, part) => text.slice(0, text.indexOf(part)).split('\n').length;

test('a mistake is marked at its line while typing, in the compiler’s words, and leads there', () => onPage('problem', { hash: HASH }, async ({ page, editor, edit, text, home }) => {
  await editor(FUNCTION).waitFor();
  await page.getByText('Every rule of the format holds').waitFor();
  await edit(FUNCTION, 'verdict: reason ===', 'verdct: reason ===');
  const line = lineOf(await text(FUNCTION), 'verdct:');
  const row = page.getByRole('button', { name: new RegExp(`Line ${line}, column \\d+`) }).first();
  await row.waitFor();
  assert.match(await row.innerText(), /verdct/);
  // The diagnostic is underlined in the text as well.
  await page.locator('.cm-lintRange-error').first().waitFor();
  await page.keyboard.press('Control+Home');
  await page.keyboard.press('F8');
  await page.getByText(new RegExp(`Line ${line}, column \\d+: `)).first().waitFor();
  assert.equal(home.read(FILE).includes('verdct'), false, 'typing alone writes nothing');

  // A text with problems is written, stays a draft, and the version goes on.
  await page.keyboard.press('Control+s');
  await page.getByText(/stays? .*draft\. Version 1 goes on running|keeps? it a draft\. Version 1 goes on running/).first().waitFor();
  assert.ok(home.read(FILE).includes('verdct'));
  await edit(FUNCTION, 'verdct: reason ===', 'verdict: reason ===');
  await page.getByText('Every rule of the format holds').waitFor();
  await page.keyboard.press('Control+s');
  await until('the file mended', () => !home.read(FILE).includes('verdct'));
  await page.getByText('No problems', { exact: true }).first().waitFor();
}));

test('a known mistake has a fix, by its button and by its key', () => onPage('fix', { hash: HASH }, async ({ page, editor, edit, text }) => {
  await editor(FUNCTION).waitFor();
  await edit(FUNCTION, 'language: typescript', 'language: javascript');
  await page.getByRole('button', { name: 'Write typescript' }).click();
  await until('the language mended', async () => (await text(FUNCTION)).includes('language: typescript'));
  await page.getByText('Every rule of the format holds').waitFor();

  await edit(FUNCTION, 'type: object\n    required: [campaign]', 'type: objekt\n    required: [campaign]');
  await page.getByText('Try: Did you mean object?').waitFor();
  await page.keyboard.press('F8');
  await page.keyboard.press('Control+.');
  await until('the type mended', async () => !(await text(FUNCTION)).includes('objekt'));
  await page.getByText('Every rule of the format holds').waitFor();
}));

test('without the compiler a text is neither right nor wrong: it is not judged, and everything else goes on', () => onPage('unjudged', {
  hash: HASH, home: (home) => { home.env.PLAYBOOK_TSC = '/nowhere/tsc'; },
}, async ({ page, editor, edit, home, accessible }) => {
  await editor(FUNCTION).waitFor();
  await page.getByText('Not judged.').waitFor();
  await page.getByRole('button', { name: 'No compiler' }).waitFor();
  await accessible('a text that is not judged');
  assert.equal(await page.getByText('Every rule of the format holds').count(), 0);
  await edit(FUNCTION, 'Checks a campaign brief', 'Written without a judge');
  await page.keyboard.press('Control+s');
  await page.getByText(/It was not judged, so it stays a draft/).waitFor();
  assert.ok(home.read(FILE).includes('Written without a judge'));
  await page.getByRole('button', { name: 'Settings and self-check' }).click();
  await page.getByText('missing', { exact: true }).waitFor();
}));

test('a good text becomes a version, and the difference to it is shown', () => onPage('version', { hash: HASH }, async ({ page, editor, edit, home }) => {
  await editor(FUNCTION).waitFor();
  await edit(FUNCTION, 'Checks a campaign brief', 'Judges a campaign brief');
  await page.getByText('not on disk', { exact: true }).first().waitFor();
  await page.getByRole('tab', { name: 'Changes' }).click();
  await page.locator('.cm-mergeView .cm-changedText').first().waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved as version 2.').waitFor();
  await page.getByText('Nothing differs').waitFor();
  assert.ok(home.read(FILE).includes('Judges a campaign brief'));
}));

test('a clean text follows its file, and the cursor stays', () => onPage('outside', { hash: HASH }, async ({ page, editor, text, home }) => {
  await editor(FUNCTION).waitFor();
  await editor(FUNCTION).evaluate((content) => {
    const view = content.cmTile.root.view;
    view.dispatch({ selection: { anchor: view.state.doc.line(30).from + 2 } });
  });
  home.write(FILE, home.read(FILE).replace('Checks a campaign brief', 'Looks at a campaign brief'));
  await until('the new text', async () => (await text(FUNCTION)).includes('Looks at a campaign brief'));
  const line = await editor(FUNCTION).evaluate((content) => { const { state } = content.cmTile.root.view; return state.doc.lineAt(state.selection.main.head).number; });
  assert.equal(line, 30);
  assert.equal(await page.getByText('The file changed outside').count(), 0);
  // Undo leads back to the text before.
  await editor(FUNCTION).focus();
  await page.keyboard.press('Control+z');
  await until('the text before', async () => (await text(FUNCTION)).includes('Checks a campaign brief'));
}));

test('a file changed outside while typing is never overwritten unseen', () => onPage('conflict', { hash: HASH }, async ({ page, editor, edit, text, home, accessible }) => {
  await editor(FUNCTION).waitFor();
  await edit(FUNCTION, 'Checks a campaign brief', 'Mine checks a brief');
  const theirs = home.read(FILE).replace('Checks a campaign brief', 'Theirs checks a brief');
  home.write(FILE, theirs);
  await page.getByText('The file changed outside').waitFor();
  assert.equal(await page.getByRole('dialog').count(), 0, 'a conflict never interrupts typing');
  await accessible('the conflict bar');
  await page.keyboard.press('Control+s');
  await page.getByText('Nothing was overwritten.').waitFor();
  assert.equal(home.read(FILE), theirs);
  assert.ok((await text(FUNCTION)).includes('Mine checks a brief'));

  await page.getByRole('button', { name: 'Compare' }).click();
  await page.locator('.cm-mergeView').waitFor();
  await page.getByRole('button', { name: 'Back to the editor' }).click();
  await page.getByRole('button', { name: 'Keep mine' }).click();
  await until('mine on the disk', () => home.read(FILE).includes('Mine checks a brief'));
  await page.getByText('The file changed outside').waitFor({ state: 'detached' });
}));

test('take theirs puts their text on screen, and undo still has mine', () => onPage('theirs', { hash: HASH }, async ({ page, editor, edit, text, home }) => {
  await editor(FUNCTION).waitFor();
  await edit(FUNCTION, 'Checks a campaign brief', 'Mine checks a brief');
  home.write(FILE, home.read(FILE).replace('Checks a campaign brief', 'Theirs checks a brief'));
  await page.getByRole('button', { name: 'Take theirs' }).click();
  await until('their text', async () => (await text(FUNCTION)).includes('Theirs checks a brief'));
  await page.keyboard.press('Control+z');
  await until('my text', async () => (await text(FUNCTION)).includes('Mine checks a brief'));
}));

test('a file deleted outside stays on screen and can be saved again', () => onPage('deleted', { hash: HASH }, async ({ page, editor, text, home }) => {
  await editor(FUNCTION).waitFor();
  const before = await text(FUNCTION);
  rmSync(home.file(FILE));
  await page.getByText('The file was deleted outside.').waitFor();
  assert.equal(await text(FUNCTION), before);
  await page.getByRole('button', { name: 'Save to restore it' }).click();
  await until('the file', () => home.has(FILE) && home.read(FILE) === before);
}));

test('unsaved text outlives a tab switch, its undo too, and a crash of the window', async () => {
  const home = freshHome();
  const server = await serveStudio(home);
  const browser = await launch();
  const context = await browser.newContext();
  try {
    const first = await openPage(browser, server.address, { hash: HASH, context });
    await first.editor(FUNCTION).waitFor();
    await first.edit(FUNCTION, 'Checks a campaign brief', 'Typed and not saved');
    await first.go('#/runs');
    await first.page.getByRole('heading', { name: 'Runs' }).waitFor();
    await first.go(HASH);
    await until('the typed text again', async () => (await first.text(FUNCTION)).includes('Typed and not saved'));
    await first.editor(FUNCTION).focus();
    await first.page.keyboard.press('Control+z');
    await until('undo', async () => (await first.text(FUNCTION)).includes('Checks a campaign brief'));
    await first.page.keyboard.press('Control+y');
    await until('redo', async () => (await first.text(FUNCTION)).includes('Typed and not saved'));
    await first.page.close();

    const second = await openPage(browser, server.address, { hash: HASH, context });
    await second.page.getByText('Text that was not on disk was kept').waitFor();
    assert.ok((await second.text(FUNCTION)).includes('Checks a campaign brief'), 'the file is shown until the person chooses');
    await second.page.getByRole('button', { name: 'Bring it back' }).click();
    await until('the typed text', async () => (await second.text(FUNCTION)).includes('Typed and not saved'));
    assert.ok(!home.read(FILE).includes('Typed and not saved'));
    await second.close();
  } finally {
    await browser.close();
    await server.stop();
    home.remove();
  }
});

test('the connection lost is said, what is typed stays, and it comes back', async () => {
  const home = freshHome();
  let server = await serveStudio(home);
  const port = Number(new URL(server.address).port);
  const browser = await launch();
  try {
    const studio = await openPage(browser, server.address, { hash: HASH });
    await studio.editor(FUNCTION).waitFor();
    await server.kill();
    await studio.page.getByText('Connection to the runtime lost').waitFor();
    await studio.edit(FUNCTION, 'Checks a campaign brief', 'Typed while nobody listened');
    await studio.page.keyboard.press('Control+s');
    await studio.page.getByText('Not saved.').waitFor();
    server = await serveStudio(home, { port });
    await studio.page.getByText('Connection to the runtime lost').waitFor({ state: 'detached' });
    await studio.page.getByRole('button', { name: 'Save again' }).click();
    await until('the text on the disk', () => home.read(FILE).includes('Typed while nobody listened'));
    await studio.context.close();
  } finally {
    await browser.close();
    await server.stop();
    home.remove();
  }
});

test('the overview is drawn, and the last good one stays while the text is wrong', () => onPage('overview', { hash: `${HASH}?side=overview` }, async ({ page, editor, edit }) => {
  const picture = page.getByRole('img', { name: /Diagram of what/ });
  await picture.waitFor();
  assert.ok(await picture.evaluate((image) => image.complete && image.naturalWidth > 20), 'the picture is drawn');
  await editor(FUNCTION).waitFor();
  await edit(FUNCTION, 'language: typescript', 'language: nothing');
  await page.getByText('As of the last valid text.').waitFor();
  assert.equal(await picture.getAttribute('data-stale'), 'true');
  assert.ok(await picture.isVisible());
}));

test('a new function is made, checked and saved', () => onPage('new', {}, async ({ page, editor, home }) => {
  await page.getByRole('button', { name: 'New computation function' }).click();
  await page.getByLabel('Name').fill('x');
  await page.getByText('Use 3 to 48 lowercase letters').waitFor();
  await page.getByLabel('Name').fill('review-brief');
  await page.getByText('That name is used.').waitFor();
  await page.getByLabel('Name').fill('score-brief');
  await page.keyboard.press('Enter');
  await editor('Text of computation/score-brief').waitFor();
  await page.getByText('Every rule of the format holds').waitFor();
  assert.ok(home.has('computation/score-brief.md'));
  await page.getByRole('treeitem', { name: /score-brief/ }).waitFor();
}));
