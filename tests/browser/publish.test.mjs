// Publishing to a server on another port: the plan, the choices, and green only when read back.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { freshHome, launch, openPage, serveLog, serveStudio, until } from './studio.mjs';

describe('publishing', { concurrency: false }, () => {
  const home = freshHome();
  let studio;
  let here;
  let there;
  let browser;
  const remote = (type, name) => there.ask('GET', `/v1/orgs/local/playbooks/campaign-review/definitions/${type}/${name}`);
  const plan = async () => {
    await studio.page.getByRole('button', { name: /Make a plan|Make a new plan|Make a plan of what is left|Read again/ }).first().click();
    await studio.page.getByText(/Nothing is sent yet/).waitFor();
  };
  const change = async (name, from, to) => {
    home.write(name, home.read(name).replace(from, to));
    await until('the change recorded', async () => (await here.ask('GET', `/studio/api/documents/${name.replace('.md', '')}`)).saved_text.includes(to));
  };

  before(async () => {
    here = await serveStudio(home);
    there = await serveLog(home, join(home.path, 'server'));
    browser = await launch();
    studio = await openPage(browser, here.address, { hash: '#/publish' });
  });
  after(async () => {
    await browser?.close();
    await here?.stop();
    await there?.stop();
    home.remove();
  });

  test('a server is connected, and a wrong address is said at its field', async () => {
    const { page } = studio;
    await page.getByRole('button', { name: 'Connect a server' }).first().click();
    await page.getByLabel('Name').fill('Another port');
    await page.getByLabel('Address').fill('127.0.0.1');
    await page.getByText(/Write it with its scheme/).waitFor();
    await page.getByLabel('Address').fill(there.address);
    await studio.accessible('connecting a server');
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByRole('heading', { name: /Publish to Another port/ }).waitFor();
  });

  test('the first plan sends all, and each is green after it was read back', async () => {
    const { page } = studio;
    await plan();
    await studio.accessible('a plan');
    await page.getByRole('button', { name: 'Send 6' }).click();
    await page.getByText('6 definitions published and read back equal').waitFor();
    await studio.accessible('the results');
    assert.equal((await remote('computation', 'review-brief')).source, home.read('computation/review-brief.md'));
    assert.equal(await page.getByText(/read back \d/).count(), 6);
  });

  test('what changed here is published with its difference shown', async () => {
    const { page } = studio;
    await change('computation/review-brief.md', 'Checks a campaign brief', 'Judges a campaign brief');
    await plan();
    await page.getByText('changed here').waitFor();
    await page.getByRole('button', { name: 'Show the texts of review-brief' }).click();
    await page.locator('.cm-changedText').first().waitFor();
    await page.getByRole('button', { name: 'Send 1' }).click();
    await page.getByText('1 definition published and read back equal').waitFor();
    assert.equal((await remote('computation', 'review-brief')).version, 2);
  });

  test('what changed in both is stopped and shown three ways; publishing over it is typed', async () => {
    const { page } = studio;
    const theirs = (await remote('computation', 'review-brief')).source.replace('Judges a campaign brief', 'Weighs a campaign brief');
    await there.ask('PUT', '/v1/orgs/local/playbooks/campaign-review/definitions/computation/review-brief', { source: theirs, diagram: 'none' });
    await change('computation/review-brief.md', 'Judges a campaign brief', 'Rates a campaign brief');
    await plan();
    await page.getByText('changed in both').first().waitFor();
    await until('three panes', async () => (await page.locator('.cm-editor').count()) === 3);
    await studio.accessible('a conflict in the plan');
    await studio.picture('changed-in-both');
    assert.equal(await page.getByRole('combobox', { name: /What to do with computation\/review-brief/ }).inputValue(), 'skip');
    assert.equal((await remote('computation', 'review-brief')).source, theirs, 'a plan sends nothing');
    await page.getByRole('combobox', { name: /What to do with computation\/review-brief/ }).selectOption('overwrite');
    assert.equal(await page.getByRole('button', { name: 'Send 1' }).getAttribute('aria-disabled'), 'true');
    await page.getByLabel(/to mean it/).fill('review-brief');
    await page.getByRole('button', { name: 'Send 1' }).click();
    await page.getByText('1 definition published and read back equal').waitFor();
    assert.match((await remote('computation', 'review-brief')).source, /Rates a campaign brief/);
  });

  test('what moved after the plan stops, and nothing is overwritten', async () => {
    const { page } = studio;
    await change('computation/review-brief.md', 'Rates a campaign brief', 'Mine checks a brief');
    await plan();
    const moved = (await remote('computation', 'review-brief')).source.replace('Rates a campaign brief', 'Moved meanwhile');
    await there.ask('PUT', '/v1/orgs/local/playbooks/campaign-review/definitions/computation/review-brief', { source: moved, diagram: 'none' });
    await page.getByRole('button', { name: 'Send 1' }).click();
    await page.getByText('moved', { exact: true }).waitFor();
    await page.getByText(/1 did not go through/).waitFor();
    assert.equal((await remote('computation', 'review-brief')).source, moved);
    assert.match(home.read('computation/review-brief.md'), /Mine checks a brief/);
  });

  test('a server that is gone is said in words, and the plan can be made again', async () => {
    const { page } = studio;
    await there.stop();
    await page.getByRole('button', { name: /Make a plan of what is left/ }).click();
    await page.getByRole('alert').waitFor();
    await page.getByRole('button', { name: 'Make the plan again' }).waitFor();
    await studio.close();
  });
});
