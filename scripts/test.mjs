// Runs every test in order and says at the end what passed and how long each step took.
//
//   node scripts/test.mjs                 everything
//   node scripts/test.mjs rust browser    some steps; what they need is built first
//
// A step that fails does not stop the others, unless they need what it makes.

import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';

const root = resolve(import.meta.dirname, '..');
const target = resolve(root, process.env.CARGO_TARGET_DIR ?? 'target');
const programs = {
  PLAYBOOK_BIN: join(target, 'debug', 'playbook'),
  PLAYBOOK_STUDIO_BIN: join(target, 'debug', 'playbook-studio'),
};

// The linter is the compiler with more to say, so it compiles as well: one build instead of two.
const linted = { RUSTC_WORKSPACE_WRAPPER: 'clippy-driver' };

/** Passed and failed tests, read off a runner's closing lines. */
const counts = {
  nextest: (text) => sum(text, /Summary \[[^\]]*\] .*?(\d+) passed/g, /Summary \[[^\]]*\] .*? (\d+) failed/g, /Summary \[[^\]]*\] .*? (\d+) timed out/g),
  cargo: (text) => sum(text, /^test result: .*? (\d+) passed;/gm, /^test result: .*? (\d+) failed;/gm),
  vitest: (text) => sum(text, /^\s*Tests\s.*?(\d+) passed/gm, /^\s*Tests\s+(\d+) failed/gm),
  node: (text) => sum(text, /^(?:#|ℹ) pass (\d+)/gm, /^(?:#|ℹ) (?:fail|cancelled) (\d+)/gm),
};

function sum(text, passes, ...failures) {
  const plain = text.replace(/\u001b\[[0-9;]*m/g, '');
  const total = (pattern) => [...plain.matchAll(pattern)].reduce((all, found) => all + Number(found[1]), 0);
  return { passed: total(passes), failed: failures.reduce((all, pattern) => all + total(pattern), 0) };
}

/** Test files of a folder; a suite that is not there yet has none. */
function files(folder) {
  const path = join(root, folder);
  return existsSync(path) ? readdirSync(path).filter((name) => name.endsWith('.test.mjs')).sort().map((name) => join(folder, name)) : [];
}

const hasNextest = await quietly('cargo', ['nextest', '--version']);

const steps = [
  { name: 'format', command: ['cargo', 'fmt', '--all', '--check'], minutes: 2 },
  { name: 'ui', command: ['make', '--no-print-directory', 'ui', ...installs()], minutes: 10, gives: 'the page' },
  {
    name: 'build',
    command: ['cargo', 'build', '--locked', '--workspace', '--all-targets'],
    env: linted,
    minutes: 40,
    needs: ['ui'],
    gives: 'the programs',
    judge: (text) => (/^warning: (?!.*generated \d+ warning)/m.test(text) ? 'the compiler or the linter warns' : undefined),
  },
  {
    name: 'rust',
    command: hasNextest
      ? ['cargo', 'nextest', 'run', '--locked', '--workspace', '--all-targets', '--no-fail-fast']
      : ['cargo', 'test', '--locked', '--workspace', '--all-targets', '--no-fail-fast'],
    env: linted,
    minutes: 20,
    needs: ['build'],
    count: hasNextest ? counts.nextest : counts.cargo,
  },
  { name: 'vitest', command: ['npm', 'test', '--silent'], folder: 'ui', minutes: 10, needs: ['ui'], count: counts.vitest },
  {
    name: 'browser',
    command: ['node', '--test', '--test-reporter=spec', ...files('tests/browser')],
    minutes: 15,
    needs: ['build'],
    count: counts.node,
    skip: files('tests/browser').length === 0,
  },
  {
    name: 'desktop',
    // Each test file starts its own session bus and app; the display is one.
    command: [
      'xvfb-run', '-a', '-s', '-screen 0 1280x900x24',
      'node', '--test', '--test-reporter=spec', '--test-concurrency=1', ...files('tests/desktop'),
    ],
    minutes: 15,
    needs: ['build'],
    count: counts.node,
    skip: files('tests/desktop').length === 0,
  },
];

/** Packages of the tests' own, where they have any. */
function installs() {
  return ['tests', 'tests/browser', 'tests/desktop']
    .filter((folder) => existsSync(join(root, folder, 'package-lock.json')))
    .map((folder) => `${folder}/node_modules/.installed`);
}

function quietly(command, args) {
  return new Promise((done) => {
    spawn(command, args, { stdio: 'ignore' }).on('error', () => done(false)).on('close', (code) => done(code === 0));
  });
}

/** Runs a command in a process group of its own, so that nothing it started outlives it. */
function run(step) {
  return new Promise((done) => {
    const [command, ...args] = step.command;
    const child = spawn(command, args, {
      cwd: join(root, step.folder ?? '.'),
      env: { ...process.env, ...programs, ...step.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let text = '';
    const take = (stream) => (chunk) => {
      text += chunk;
      stream.write(chunk);
    };
    child.stdout.on('data', take(process.stdout));
    child.stderr.on('data', take(process.stderr));
    const end = (signal) => {
      try {
        process.kill(-child.pid, signal);
      } catch {
        // It has ended by itself.
      }
    };
    let late = false;
    const limit = setTimeout(() => {
      late = true;
      end('SIGKILL');
    }, step.minutes * 60_000);
    const interrupted = () => {
      end('SIGTERM');
      process.exit(130);
    };
    process.once('SIGINT', interrupted);
    process.once('SIGTERM', interrupted);
    child.on('error', (error) => {
      text += String(error);
    });
    // `exit`, not `close`: an orphan that holds the output must not hold the tests.
    child.on('exit', (code) => {
      clearTimeout(limit);
      process.off('SIGINT', interrupted);
      process.off('SIGTERM', interrupted);
      setTimeout(() => {
        end('SIGKILL');
        done({ ok: code === 0 && !late, text, why: late ? `not done after ${step.minutes} minutes` : `exit code ${code}` });
      }, 200);
    });
  });
}

function wanted(names) {
  const all = new Map(steps.map((step) => [step.name, step]));
  const unknown = names.filter((name) => !all.has(name));
  if (unknown.length > 0) {
    console.error(`There is no step ${unknown.join(', ')}; the steps are ${[...all.keys()].join(', ')}.`);
    process.exit(2);
  }
  if (names.length === 0) return steps;
  const chosen = new Set();
  const add = (name) => {
    for (const need of all.get(name).needs ?? []) add(need);
    chosen.add(name);
  };
  names.forEach(add);
  return steps.filter((step) => chosen.has(step.name));
}

const results = [];
let passed = 0;
let failed = 0;
for (const step of wanted(process.argv.slice(2))) {
  if (step.skip) continue;
  const broken = (step.needs ?? []).find((need) => results.some((result) => result.name === need && !result.made));
  if (broken !== undefined) {
    failed += 1;
    results.push({ name: step.name, made: false, seconds: 0, words: `not run: ${broken} failed` });
    continue;
  }
  console.log(`\n── ${step.name}`);
  const start = performance.now();
  const { ok, text, why } = await run(step);
  const seconds = (performance.now() - start) / 1000;
  const complaint = ok ? step.judge?.(text) : why;
  const count = step.count?.(text) ?? { passed: 0, failed: 0 };
  // A step without a runner of its own is one test; a runner that ran none has failed.
  const ran = count.passed + count.failed;
  if (step.count === undefined) {
    complaint === undefined ? (passed += 1) : (failed += 1);
  } else {
    passed += count.passed;
    failed += Math.max(count.failed, complaint === undefined && ran > 0 ? 0 : 1);
  }
  const words = [
    step.count === undefined ? '' : `${count.passed} passed, ${count.failed} failed`,
    complaint ?? (step.count !== undefined && ran === 0 ? 'ran no test' : ''),
  ];
  results.push({ name: step.name, made: ok, seconds, words: words.filter(Boolean).join('; ') || 'passed' });
}

console.log('\n── time of each step');
for (const { name, seconds, words } of results) {
  console.log(`${name.padEnd(8)} ${seconds.toFixed(1).padStart(7)} s  ${words}`);
}
console.log(`${'all'.padEnd(8)} ${results.reduce((all, { seconds }) => all + seconds, 0).toFixed(1).padStart(7)} s`);
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
