// The app starts, shows the sample playbook and takes keys; with and without a session bus.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { changedPixels, freshHome, keys, openApp, until } from './webdriver.mjs';

const EDITOR = 'Text of computation/review-brief';

describe('the first start, with the sample playbook', () => {
  const home = freshHome();
  let app;
  before(async () => {
    app = await openApp({ args: ['--sample'], home });
  });
  after(async () => {
    await app?.close();
    home.remove();
  });

  test('the window names the playbook and shows its definitions', async () => {
    for (const name of ['review-brief', 'campaign-reviews', 'campaign-spend']) {
      await app.find('treeitem', new RegExp(`^${name}`));
    }
    await until('the title of the playbook', async () => (await app.run('return document.title')).includes('Campaign review'));
    await app.picture('start');
  });

  test('the sample is a copy of its own in the person\'s data folder', () => {
    const copy = join(home.env.XDG_DATA_HOME, 'playbook-studio', 'sample-playbook');
    assert.ok(existsSync(join(copy, 'playbook.yaml')));
    assert.match(readFileSync(join(copy, '.playbook', '.gitignore'), 'utf8'), /\*/);
  });

  test('what is typed in the editor is painted', async () => {
    await app.press('treeitem', /^review-brief/);
    await until('the document in the editor', async () => (await app.editorText(EDITOR))?.includes('language: typescript'));
    const content = await app.css('.cm-content');
    await app.click(content);
    await app.keys(keys.home, keys.control);
    const before = await app.picture();
    await app.keys('WWWWWWWWWWWWWWWWWWWWWWWW');
    assert.ok((await app.editorText(EDITOR)).startsWith('WWWWWWWWWWWWWWWWWWWWWWWW---'));
    // Far more than a blinking cursor: two dozen wide letters.
    await until('two dozen letters on the picture', async () => changedPixels(before, await app.picture()) > 800);
  });

  test('a page never leaves the window, and its scripts stay its own', async () => {
    const policy = await app.run(`
      const answer = new XMLHttpRequest();
      answer.open('GET', location.origin + '/', false);
      answer.send();
      return answer.getResponseHeader('content-security-policy');
    `);
    assert.match(policy, /default-src 'self'/);
    assert.match(policy, /object-src 'none'/);
    await app.run('location.href = "file:///etc/hosts"');
    await app.find('treeitem', /^review-brief/);
    assert.equal(await app.run('return location.protocol'), 'rt:');
  });

  test('a stream of events is refused instead of hanging', async () => {
    const status = await app.run(`
      const asked = new XMLHttpRequest();
      asked.open('GET', '/studio/api/state', false);
      asked.setRequestHeader('accept', 'text/event-stream');
      asked.send();
      return asked.status;
    `);
    assert.equal(status, 406);
  });
});

test('without a session bus the app starts all the same', async () => {
  const home = freshHome();
  const app = await openApp({ args: ['--sample'], home, bus: 'none' });
  try {
    await app.find('treeitem', /^review-brief/);
  } finally {
    await app.close();
    home.remove();
  }
});

test('a folder that is no playbook is refused in words, and the window stays', async () => {
  const home = freshHome();
  const app = await openApp({ args: [home.env.XDG_CACHE_HOME], home });
  try {
    await app.sees(/Open a folder/);
    await app.find('button', /New from the sample/);
  } finally {
    await app.close();
    home.remove();
  }
});
