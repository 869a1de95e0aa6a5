// Draws the guide's pictures: plays the story of the desktop tests in the built app, and keeps what it showed.
//
//   make screenshots

import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const drawn = join(resolve(root, process.env.CARGO_TARGET_DIR ?? 'target'), 'pictures', 'desktop');
const kept = join(root, 'docs', 'pictures');

const played = spawnSync(
  'xvfb-run',
  ['-a', '-s', '-screen 0 1280x900x24', 'node', '--test', '--test-reporter=spec', 'tests/desktop/story.test.mjs'],
  { cwd: root, stdio: 'inherit', timeout: 15 * 60_000 },
);
if (played.status !== 0) {
  console.error('The story did not play to its end, so no picture was kept.');
  process.exit(1);
}

mkdirSync(kept, { recursive: true });
const readme = existsSync(join(root, 'README.md')) ? readFileSync(join(root, 'README.md'), 'utf8') : '';
const guide = readFileSync(join(root, 'docs', 'guide.md'), 'utf8') + readme.replaceAll('docs/pictures/', 'pictures/');
for (const name of new Set([...guide.matchAll(/\]\(pictures\/([a-z-]+\.png)\)/g)].map((found) => found[1]))) {
  if (!existsSync(join(drawn, name))) {
    console.error(`The story draws no ${name}, which the guide shows.`);
    process.exitCode = 1;
    continue;
  }
  copyFileSync(join(drawn, name), join(kept, name));
  console.log(`docs/pictures/${name}`);
}
