// Draws the app's pictures from icons/icon.svg, as 8-bit RGBA PNG.
//
//   node scripts/icons.mjs
//
// Chromium draws, and keeps the ground transparent. The page gets the drawing itself.

import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const icons = resolve(import.meta.dirname, '..', 'icons');
const drawing = readFileSync(join(icons, 'icon.svg'), 'utf8');
copyFileSync(join(icons, 'icon.svg'), resolve(icons, '..', 'ui', 'public', 'icon.svg'));
const place = mkdtempSync(join(tmpdir(), 'icons-'));
try {
  for (const [size, name] of [[32, '32x32.png'], [128, '128x128.png'], [512, 'icon.png']]) {
    const page = join(place, `${size}.html`);
    const style = `html,body{margin:0;background:transparent}svg{display:block;width:${size}px;height:${size}px}`;
    writeFileSync(page, `<!doctype html><style>${style}</style>${drawing}`);
    execFileSync(
      process.env.CHROMIUM ?? 'chromium',
      [
        '--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--default-background-color=00000000',
        '--force-device-scale-factor=1', `--window-size=${size},${size}`, `--user-data-dir=${join(place, 'profile')}`,
        `--screenshot=${join(icons, name)}`, `file://${page}`,
      ],
      { stdio: 'ignore', timeout: 60_000 },
    );
  }
} finally {
  rmSync(place, { recursive: true, force: true });
}
