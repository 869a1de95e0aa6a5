// Drives the built app through WebKitWebDriver: the real window, the real engine, the real runtime.
//
// A session starts the app anew, with folders of its own for everything that it keeps.

import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { inflateSync } from 'node:zlib';

export const root = resolve(import.meta.dirname, '..', '..');
const target = resolve(root, process.env.CARGO_TARGET_DIR ?? 'target');

/** The programs under test; `make test` names them. */
export const studioProgram = process.env.PLAYBOOK_STUDIO_BIN ?? join(target, 'debug', 'playbook-studio');
export const playbookProgram = process.env.PLAYBOOK_BIN ?? join(target, 'debug', 'playbook');
export const samplePlaybook = join(root, 'sample');
/** Where screenshots go. */
export const pictures = join(target, 'pictures', 'desktop');

/** A machine under load is slow; no step waits longer than this for what it looks for. */
const patience = Number(process.env.TEST_PATIENCE_SECONDS ?? 40) * 1000;
const element = 'element-6066-11e4-a52e-4f735466cecf';

export const keys = { enter: '\uE007', escape: '\uE00C', tab: '\uE004', control: '\uE009', end: '\uE010', home: '\uE011', delete: '\uE017', backspace: '\uE003', down: '\uE015', up: '\uE013', shift: '\uE008', alt: '\uE00A' };

/** A port that was free a moment ago. */
export function freePort() {
  return new Promise((done, failed) => {
    const server = createServer();
    server.on('error', failed);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

const pause = (milliseconds) => new Promise((done) => { setTimeout(done, milliseconds); });

/** Waits until `look` gives something; says in `words` what never came. */
export async function until(words, look, limit = patience) {
  const end = performance.now() + limit;
  let last;
  for (;;) {
    try {
      const found = await look();
      if (found) return found;
      last = undefined;
    } catch (error) {
      last = error;
    }
    if (performance.now() > end) throw new Error(`Waited ${limit / 1000} s, and never saw: ${words}`, { cause: last });
    await pause(50);
  }
}

/** Folders of a person who has never started the program. */
export function freshHome() {
  const home = mkdtempSync(join(tmpdir(), 'playbook-studio-'));
  for (const folder of ['data', 'config', 'cache', 'state']) mkdirSync(join(home, folder));
  return {
    path: home,
    env: {
      HOME: home,
      XDG_DATA_HOME: join(home, 'data'),
      XDG_CONFIG_HOME: join(home, 'config'),
      XDG_CACHE_HOME: join(home, 'cache'),
      XDG_STATE_HOME: join(home, 'state'),
    },
    remove: () => rmSync(home, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/**
 * Opens the app.
 *
 * @param {{ args?: string[], home: ReturnType<typeof freshHome>, bus?: 'own' | 'none', environment?: Record<string, string> }} options
 *   `environment`: more of it.
 *   `bus`: a session bus of its own, or none at all.
 */
export async function openApp({ args = [], home, bus = 'own', environment = {} }) {
  const port = await freePort();
  const driver = ['WebKitWebDriver', `--port=${port}`, '--host=127.0.0.1'];
  const [command, ...rest] = bus === 'own' ? ['dbus-run-session', '--', ...driver] : driver;
  const env = {
    ...process.env,
    ...home.env,
    ...environment,
    TAURI_WEBVIEW_AUTOMATION: 'true',
    // Without a graphics card the other path costs more than it saves.
    WEBKIT_DISABLE_DMABUF_RENDERER: '1',
    GTK_A11Y: 'none',
    NO_AT_BRIDGE: '1',
  };
  if (bus === 'none') env.DBUS_SESSION_BUS_ADDRESS = 'disabled:';
  // A process group of its own: the app can outlive its driver.
  const child = spawn(command, rest, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => { output += chunk; });

  const base = `http://127.0.0.1:${port}`;
  const call = async (method, path, body, limit = 60_000) => {
    const response = await fetch(base + path, {
      method,
      body: body === undefined ? undefined : JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
      signal: AbortSignal.timeout(limit),
    });
    const { value } = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${value?.error}: ${value?.message}`);
    return value;
  };

  const endGroup = () => {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  };
  let session;
  try {
    await until('the driver listening', () => call('GET', '/status').then(() => true));
    const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': { binary: studioProgram, args } } };
    session = (await call('POST', '/session', { capabilities }, 120_000)).sessionId;
  } catch (error) {
    endGroup();
    throw new Error(`The app did not start.\n${output}`, { cause: error });
  }

  const at = `/session/${session}`;
  const run = (script, ...given) => call('POST', `${at}/execute/sync`, { script, args: given });

  const app = {
    /** The whole group, to kill it as a power cut would. */
    group: child.pid,
    output: () => output,
    run,
    /** The first element of a role with a name: a text to be equal to, or a pattern. */
    find: (role, name, within) => until(`${role} ${name ?? ''}`, async () => {
      const pattern = name instanceof RegExp ? [name.source, name.flags] : null;
      return run(FIND, role, pattern === null ? (name ?? null) : null, pattern, within ?? null);
    }),
    /** Whether there is one right now. */
    has: async (role, name) => {
      const pattern = name instanceof RegExp ? [name.source, name.flags] : null;
      return (await run(FIND, role, pattern === null ? (name ?? null) : null, pattern, null)) !== null;
    },
    css: (selector) => until(selector, () => run('return document.querySelector(arguments[0])', selector)),
    click: async (found) => {
      await run('arguments[0].scrollIntoView({ block: "center", inline: "nearest" })', found);
      await call('POST', `${at}/element/${found[element]}/click`, {});
    },
    press: async (role, name) => app.click(await app.find(role, name)),
    type: (found, text) => call('POST', `${at}/element/${found[element]}/value`, { text }),
    clear: (found) => call('POST', `${at}/element/${found[element]}/clear`, {}),
    text: (found) => call('GET', `${at}/element/${found[element]}/text`),
    /** Keys to whatever has the focus; `held` stay down meanwhile. */
    keys: async (text, ...held) => {
      const down = (value) => ({ type: 'keyDown', value });
      const up = (value) => ({ type: 'keyUp', value });
      const strokes = [...text].flatMap((key) => [down(key), up(key)]);
      const actions = [...held.map(down), ...strokes, ...held.toReversed().map(up)];
      await call('POST', `${at}/actions`, { actions: [{ type: 'key', id: 'keyboard', actions }] });
      await call('DELETE', `${at}/actions`);
    },
    /** All the text that is on the page. */
    words: () => run('return document.body.innerText'),
    sees: (pattern) => until(`the words ${pattern}`, async () => {
      const words = await app.words();
      return pattern instanceof RegExp ? pattern.exec(words) : words.includes(pattern);
    }),
    /** The whole text of the editor with a label: the editor draws only what is in sight. */
    editorText: (label) => run(EDITOR_TEXT, label),
    /** Puts a text into the editor with a label, as one edit of a person. */
    replaceEditorText: async (label, text) => {
      if (!(await run(REPLACE_EDITOR_TEXT, label, text))) throw new Error(`There is no editor ${label} to write into.`);
    },
    /** Chooses in a list by its label. */
    choose: async (name, option) => {
      const list = await app.find('combobox', name);
      await until(`the choice ${option}`, () => run(CHOOSE, list, option));
    },
    /** A picture of the window as it is drawn. */
    picture: async (name) => {
      // The driver waits for the next frame, and a window in which nothing moves draws none.
      await run(KEEP_DRAWING);
      const png = Buffer.from(await call('GET', `${at}/screenshot`), 'base64');
      await run(STOP_DRAWING);
      if (name !== undefined) {
        mkdirSync(pictures, { recursive: true });
        writeFileSync(join(pictures, `${name}.png`), png);
      }
      return png;
    },
    close: async () => {
      await call('DELETE', at, undefined, 15_000).catch(() => {});
      endGroup();
    },
    kill: endGroup,
  };
  return app;
}

/** Finds an element by its role and its accessible name, as a reader of the screen would. */
const FIND = `
  const [role, name, pattern, within] = arguments;
  const implied = {
    button: 'button, summary, input[type=button], input[type=submit]',
    link: 'a[href]',
    textbox: 'input:not([type]), input[type=text], input[type=search], input[type=url], input[type=password], textarea, [contenteditable=true]',
    checkbox: 'input[type=checkbox]',
    heading: 'h1, h2, h3, h4, h5, h6',
    combobox: 'select',
    listitem: 'li', list: 'ul, ol', row: 'tr', cell: 'td', table: 'table',
    main: 'main', navigation: 'nav', dialog: 'dialog', spinbutton: 'input[type=number]', slider: 'input[type=range]',
  };
  const selector = '[role="' + role + '"]' + (implied[role] ? ', ' + implied[role] : '');
  const shown = (element) => {
    const box = element.getBoundingClientRect();
    const style = getComputedStyle(element);
    return box.width > 0 && box.height > 0 && style.visibility !== 'hidden' && !element.closest('[aria-hidden=true], [inert]');
  };
  const nameOf = (element) => {
    const by = element.getAttribute('aria-labelledby');
    const texts = by
      ? by.split(/\\s+/).map((id) => document.getElementById(id)?.textContent ?? '')
      : [element.getAttribute('aria-label') ?? (element.labels?.length ? [...element.labels].map((label) => label.textContent).join(' ') : null)
          ?? (element.matches('input, textarea') ? element.getAttribute('placeholder') ?? element.title : element.textContent || element.title)];
    return texts.join(' ').replace(/\\s+/g, ' ').trim();
  };
  const wanted = pattern === null ? null : new RegExp(pattern[0], pattern[1]);
  for (const element of (within ?? document).querySelectorAll(selector)) {
    const explicit = element.getAttribute('role');
    if (explicit !== null && explicit !== role) continue;
    if (!shown(element)) continue;
    const own = nameOf(element);
    if (wanted !== null ? wanted.test(own) : name === null || own === name) return element;
  }
  return null;
`;

const VIEW = `
  const named = [...document.querySelectorAll('.cm-content')].find((one) => one.getAttribute('aria-label') === arguments[0]);
  const view = named?.cmTile?.root?.view;
`;
const EDITOR_TEXT = `${VIEW} return view ? view.state.doc.toString() : null;`;
const REPLACE_EDITOR_TEXT = `${VIEW}
  if (!view) return false;
  view.focus();
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: arguments[1] }, userEvent: 'input.paste' });
  return true;
`;
/** One pixel in a corner that changes with every frame. */
const KEEP_DRAWING = `
  const pixel = document.createElement('i');
  pixel.style.cssText = 'position:fixed;right:0;bottom:0;width:1px;height:1px;z-index:9999';
  document.body.append(pixel);
  let turn = 0;
  const draw = () => {
    if (!pixel.isConnected) return;
    turn += 1;
    pixel.style.background = turn % 2 === 0 ? '#000001' : '#000000';
    requestAnimationFrame(draw);
  };
  draw();
  window.keptDrawing = pixel;
`;
const STOP_DRAWING = 'window.keptDrawing.remove(); delete window.keptDrawing;';

/** The driver opens no list of choices; the page hears the same event as from a person. */
const CHOOSE = `
  const [list, wanted] = arguments;
  const option = [...list.options].find((one) => one.textContent === wanted);
  if (!option) return false;
  Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, 'value').set.call(list, option.value);
  list.dispatchEvent(new Event('change', { bubbles: true }));
  return true;
`;

/** The pixels of a PNG as the driver writes it: 8 bits a channel, RGB or RGBA, not interlaced. */
export function pixels(png) {
  let width = 0;
  let height = 0;
  let channels = 0;
  const parts = [];
  for (let offset = 8; offset < png.length;) {
    const length = png.readUInt32BE(offset);
    const kind = png.toString('latin1', offset + 4, offset + 8);
    const data = png.subarray(offset + 8, offset + 8 + length);
    if (kind === 'IHDR') {
      width = data.readUInt32BE(0);
      height = data.readUInt32BE(4);
      channels = { 2: 3, 6: 4 }[data[9]];
      if (data[8] !== 8 || channels === undefined || data[12] !== 0) throw new Error('A picture of another kind than the driver writes.');
    }
    if (kind === 'IDAT') parts.push(data);
    offset += 12 + length;
  }
  const raw = inflateSync(Buffer.concat(parts));
  const stride = width * channels;
  const out = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (stride + 1)];
    for (let x = 0; x < stride; x += 1) {
      const left = x >= channels ? out[y * stride + x - channels] : 0;
      const above = y > 0 ? out[(y - 1) * stride + x] : 0;
      const corner = x >= channels && y > 0 ? out[(y - 1) * stride + x - channels] : 0;
      const near = () => {
        const guess = left + above - corner;
        const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - above), Math.abs(guess - corner)];
        return a <= b && a <= c ? left : b <= c ? above : corner;
      };
      const predicted = [0, left, above, (left + above) >> 1, filter === 4 ? near() : 0][filter];
      out[y * stride + x] = (raw[y * (stride + 1) + 1 + x] + predicted) & 0xff;
    }
  }
  return { width, height, channels, data: out };
}

/** How many pixels of two pictures differ to the eye. */
export function changedPixels(first, second) {
  const [a, b] = [pixels(first), pixels(second)];
  if (a.width !== b.width || a.height !== b.height) return a.width * a.height;
  let changed = 0;
  for (let at = 0; at < a.width * a.height; at += 1) {
    let apart = 0;
    for (let channel = 0; channel < 3; channel += 1) {
      apart += Math.abs(a.data[at * a.channels + channel] - b.data[at * b.channels + channel]);
    }
    if (apart > 96) changed += 1;
  }
  return changed;
}
