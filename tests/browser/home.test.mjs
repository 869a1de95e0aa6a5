// Home: opening, making and refusing folders, in words.

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { freshHome, launch, openPage, serveNoFolder, serveStudio, until } from './studio.mjs';

async function atHome(play) {
  const home = freshHome();
  const server = await serveNoFolder(home);
  const browser = await launch();
  try {
    const studio = await openPage(browser, server.address);
    await play({ ...studio, home, server, browser });
    await studio.close();
  } finally {
    await browser.close();
    await server.stop();
    home.remove();
  }
}

const openFolder = async (page, path) => {
  if (await page.getByLabel('Folder', { exact: true }).count() === 0) await page.getByRole('button', { name: /Open a folder/ }).click();
  await page.getByLabel('Folder', { exact: true }).fill(path);
  await page.getByRole('button', { name: 'Open', exact: true }).click();
};

test('the sample is written into a new folder and opens; it is recent afterwards', () => atHome(async ({ page, home, accessible, go }) => {
  await page.getByRole('button', { name: /New from the sample/ }).waitFor();
  await accessible('Home');
  const path = join(home.path, 'mine');
  await page.getByRole('button', { name: /New from the sample/ }).click();
  await page.getByLabel('Folder', { exact: true }).fill(path);
  await page.getByRole('button', { name: 'Write the sample and open it' }).click();
  await page.getByRole('treeitem', { name: /review-brief/ }).waitFor();
  await go('#/home');
  await page.getByText(path).first().waitFor();
  await page.getByRole('button', { name: 'Close the folder' }).click();
  await until('no tree', async () => (await page.getByRole('treeitem').count()) === 0);
  await page.getByRole('button', { name: new RegExp(path) }).click();
  await page.getByRole('treeitem', { name: /review-brief/ }).waitFor();
}));

test('an empty playbook says what to do next', () => atHome(async ({ page, home, accessible }) => {
  await page.getByRole('button', { name: /New, empty/ }).click();
  await page.getByLabel('Folder', { exact: true }).fill(join(home.path, 'empty'));
  await page.getByLabel('Name').fill('Pricing rules');
  assert.equal(await page.getByLabel('Id').inputValue(), 'pricing-rules');
  await page.getByLabel('Id').fill('Pricing');
  await page.getByText(/Use 3 to 48 lowercase letters/).waitFor();
  await page.getByLabel('Id').fill('pricing');
  await page.getByRole('button', { name: 'Make it' }).click();
  await page.getByRole('button', { name: 'New computation function' }).waitFor();
  await page.getByText('None yet').first().waitFor();
  await accessible('an empty playbook');
}));

test('a folder that is no playbook, is not there, or is open elsewhere is refused in words', () => atHome(async ({ page, home }) => {
  const plain = join(home.path, 'plain');
  mkdirSync(plain);
  await openFolder(page, plain);
  await page.getByRole('alert').filter({ hasText: /playbook\.yaml/ }).waitFor();
  await openFolder(page, join(home.path, 'nowhere'));
  await page.getByRole('alert').filter({ hasText: 'nowhere' }).waitFor();
  const other = await serveStudio(home);
  try {
    await openFolder(page, home.folder);
    await page.getByRole('alert').filter({ hasText: 'Another program has it open' }).waitFor();
  } finally {
    await other.stop();
  }
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  await page.getByRole('treeitem', { name: /review-brief/ }).waitFor();
}));

test('a log that is damaged, and a playbook.yaml that is wrong, are refused in words', () => atHome(async ({ page, home }) => {
  mkdirSync(join(home.folder, '.playbook'), { recursive: true });
  const torn = join(home.path, 'torn');
  mkdirSync(torn);
  writeFileSync(join(torn, 'playbook.yaml'), 'id: [never closed\n');
  await openFolder(page, torn);
  await page.getByRole('alert').filter({ hasText: /playbook\.yaml/ }).waitFor();
  assert.equal(await page.getByRole('treeitem').count(), 0);
}));
