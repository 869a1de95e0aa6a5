// Starts `playbook serve --ui` on a copy of the sample and opens its page in Chromium.
//
// Each start has folders of its own for everything that is kept; nothing is shared between tests.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { chromium } from 'playwright-core';

const root = resolve(import.meta.dirname, '..', '..');
const target = resolve(root, process.env.CARGO_TARGET_DIR ?? 'target');

/** The program under test; `make test` names it. */
export const program = process.env.PLAYBOOK_BIN ?? join(target, 'debug', 'playbook');
export const sample = join(root, 'sample');
/** Pictures of failed steps, and those that tests keep. */
export const pictures = join(target, 'pictures', 'browser');
/** A machine under load is slow; no step waits longer than this for what it looks for. */
export const patience = Number(process.env.TEST_PATIENCE_SECONDS ?? 40) * 1000;

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Folders of a person who has never started the program, with a copy of the sample playbook. */
export function freshHome() {
  const path = mkdtempSync(join(tmpdir(), 'playbook-browser-'));
  for (const folder of ['data', 'config', 'cache', 'state']) mkdirSync(join(path, folder));
  const folder = join(path, 'campaign-review');
  cpSync(sample, folder, { recursive: true, filter: (from) => !from.includes('.playbook') });
  return {
    path,
    folder,
    file: (name) => join(folder, name),
    read: (name) => readFileSync(join(folder, name), 'utf8'),
    write: (name, text) => writeFileSync(join(folder, name), text),
    has: (name) => existsSync(join(folder, name)),
    env: {
      HOME: path,
      XDG_DATA_HOME: join(path, 'data'),
      XDG_CONFIG_HOME: join(path, 'config'),
      XDG_CACHE_HOME: join(path, 'cache'),
      XDG_STATE_HOME: join(path, 'state'),
      // No keychain in a test: the fallback file is what is tested.
      DBUS_SESSION_BUS_ADDRESS: 'disabled:',
    },
    remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** Waits until `look` gives something true; says in `words` what never came. */
export async function until(words, look, limit = patience) {
  const end = performance.now() + limit;
  let last;
  for (;;) {
    try {
      const found = await look();
      if (found) return found;
    } catch (error) {
      last = error;
    }
    if (performance.now() > end) throw new Error(`Waited ${limit / 1000} s, and never saw: ${words}`, { cause: last });
    await new Promise((done) => { setTimeout(done, 40); });
  }
}

/** Starts `playbook serve` and gives its address once it says it. */
export async function serve(home, args) {
  const child = spawn(program, ['serve', ...args], { env: { ...process.env, ...home.env }, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => { output += chunk; });
  const kill = (signal) => {
    try { process.kill(-child.pid, signal); } catch { /* It has ended by itself. */ }
  };
  // The program's own end: a worker that outlives it for a moment may still hold its output.
  const ended = new Promise((done) => {
    child.on('exit', () => {
      for (const stream of [child.stdout, child.stderr]) stream.destroy();
      done();
    });
  });
  try {
    const address = await until('the line with the address', () => {
      if (child.exitCode !== null) throw new Error(`It ended with ${child.exitCode}: ${output}`);
      return output.match(/http:\/\/127\.0\.0\.1:\d+/)?.[0];
    });
    return {
      address,
      output: () => output,
      kill: async () => { kill('SIGKILL'); await ended; },
      stop: async () => {
        kill('SIGTERM');
        const late = setTimeout(() => kill('SIGKILL'), 10_000);
        await ended;
        clearTimeout(late);
      },
      async ask(method, path, body) {
        const response = await fetch(address + path, {
          method,
          headers: { 'content-type': 'application/json' },
          body: body === undefined ? undefined : JSON.stringify(body),
        });
        const answer = await response.json();
        if (!response.ok) throw Object.assign(new Error(`${method} ${path}: ${answer.detail}`), { status: response.status, answer });
        return answer;
      },
    };
  } catch (error) {
    kill('SIGKILL');
    throw error;
  }
}

const uiArgs = process.env.PLAYBOOK_UI_DIR ? ['--ui', '--ui-dir', process.env.PLAYBOOK_UI_DIR] : ['--ui'];

export const serveStudio = (home, { port = 0 } = {}) => serve(home, ['--folder', home.folder, ...uiArgs, '--listen', `127.0.0.1:${port}`]);
export const serveNoFolder = (home) => serve(home, [...uiArgs, '--listen', '127.0.0.1:0']);
export const serveLog = (home, data) => serve(home, ['--data', data, '--listen', '127.0.0.1:0']);

export const launch = () => chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});

/** A page of a server, which fails the test on an error of ours and on any call beyond loopback. */
export async function openPage(browser, address, { hash = '', dark = false, width = 1280, height = 800, context: given } = {}) {
  const context = given ?? await browser.newContext({ viewport: { width, height }, colorScheme: dark ? 'dark' : 'light', reducedMotion: 'reduce' });
  context.setDefaultTimeout(patience);
  const page = await context.newPage();
  const errors = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (line) => {
    // A refusal is an answer; the browser logs it all the same.
    if (line.type() === 'error' && !/Failed to load resource/.test(line.text())) errors.push(line.text());
  });
  page.on('request', (request) => {
    if (!/^(?:http:\/\/127\.0\.0\.1|data:|blob:|about:)/.test(request.url())) errors.push(`asked ${request.url()}`);
  });
  await page.goto(`${address}/${hash}`);
  return {
    page,
    context,
    go: (to) => page.evaluate((next) => { location.hash = next; }, to),
    editor: (name) => page.getByRole('textbox', { name, exact: true }),
    /** The whole text of an editor: it draws only what is in sight. */
    text: (name) => page.getByRole('textbox', { name, exact: true }).evaluate((content) => content.cmTile.root.view.state.doc.toString()),
    /** One edit, as a paste is. */
    edit: (name, from, to) => page.getByRole('textbox', { name, exact: true }).evaluate((content, [old, text]) => {
      const view = content.cmTile.root.view;
      const all = view.state.doc.toString();
      const at = old === null ? 0 : all.indexOf(old);
      if (at < 0) throw new Error('the text to replace is not there');
      view.dispatch({ changes: { from: at, to: old === null ? all.length : at + old.length, insert: text }, selection: { anchor: at }, scrollIntoView: true, userEvent: 'input.paste' });
      view.focus();
    }, [from, to]),
    /** No serious or critical finding of axe. */
    async accessible(what) {
      await page.evaluate(axeSource);
      const found = await page.evaluate(async () => {
        const { violations } = await globalThis.axe.run(document, { resultTypes: ['violations'] });
        return violations.filter((one) => ['serious', 'critical'].includes(one.impact)).map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => `${node.target} ${node.any[0]?.message ?? node.failureSummary}`).join('; ')}`);
      });
      assert.deepEqual(found, [], what);
    },
    async picture(name) {
      mkdirSync(pictures, { recursive: true });
      await page.screenshot({ path: join(pictures, `${name}.png`) });
    },
    async close() {
      if (!given) await context.close();
      else await page.close();
      assert.deepEqual(errors, [], 'the page had errors');
    },
  };
}

/** Runs a test on one page of its own server, and keeps a picture when it fails. */
export async function onPage(name, { home: prepare, ...options }, play) {
  const home = freshHome();
  let server;
  let browser;
  let studio;
  try {
    await prepare?.(home);
    server = await serveStudio(home);
    browser = await launch();
    studio = await openPage(browser, server.address, options);
    await play({ ...studio, home, server, browser });
    await studio.close();
  } catch (error) {
    await studio?.picture(`failed-${name}`).catch(() => undefined);
    throw error;
  } finally {
    await browser?.close();
    await server?.stop();
    home.remove();
  }
}

export const PLAYBOOK = '/v1/orgs/local/playbooks/campaign-review';

export const spend = (id, cents, more = {}) => ({
  event: { type: 'com.example.campaign.spend', source: '/finance/payments', id, data: { campaign: `campaign-${cents % 7}`, channel: 'Email', amount_cents: cents }, ...more },
});

/** Takes many events into the folder's log, before a server opens it. */
export function importEvents(home, events) {
  const file = join(home.path, 'events.jsonl');
  writeFileSync(file, events.map((event) => JSON.stringify({ specversion: '1.0', ...event })).join('\n'));
  const done = spawnSync(program, ['events', 'import', file, '--folder', home.folder], { env: { ...process.env, ...home.env }, encoding: 'utf8' });
  assert.equal(done.status, 0, done.stdout + done.stderr);
}
