// Pictures of the screens from the fixture server, to be looked at: node dev/look.mjs OUT [name...]
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
const { chromium } = createRequire(new URL('../../tests/browser/package.json', import.meta.url))('playwright-core');
const out = process.argv[2] ?? '.';
const only = process.argv.slice(3);
const start = (env) => new Promise((done) => {
  const server = spawn(process.execPath, [new URL('./fixture-server.mjs', import.meta.url).pathname], { env: { ...process.env, PORT: '0', ...env } });
  server.stdout.on('data', (line) => done({ server, url: String(line).match(/http\S+/)[0] }));
  server.stderr.pipe(process.stderr);
});
const fixture = await start({});
const closed = await start({ FIXTURE_CLOSED: '1' });
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'] });
const shots = {
  home: { closed: true, hash: '#/home' },
  'home-error': { closed: true, hash: '#/home', act: async (page) => { await page.getByRole('button', { name: /Open a folder/ }).click(); await page.getByLabel('Folder').fill('/home/ana/locked'); await page.getByRole('button', { name: 'Open', exact: true }).click(); await page.getByRole('alert').waitFor(); } },
  document: { hash: '#/document/computation/review-brief', wait: '.cm-content' },
  ran: { hash: '#/document/computation/review-brief', wait: '.cm-content', act: async (page) => { await page.getByRole('combobox', { name: 'Saved inputs' }).selectOption('0'); await page.keyboard.press('Control+Enter'); await page.getByText('succeeded').waitFor(); } },
  refused: { hash: '#/document/computation/review-brief', wait: '.cm-content', act: async (page) => { await page.keyboard.press('Control+Enter'); await page.getByText('the input does not fit').first().waitFor(); } },
  problems: { hash: '#/document/computation/tally-verdicts?side=types', wait: '.cm-lintRange-error', act: async (page) => { await page.keyboard.press('F8'); await page.waitForTimeout(300); } },
  overview: { hash: '#/document/recall/campaign-reviews?side=overview', wait: 'figure img' },
  standing: { hash: '#/document/recall/visit-counts?side=standing', wait: 'meter, [role=meter]' },
  changes: { hash: '#/document/computation/tally-verdicts?side=version', wait: '.cm-mergeView' },
  conflict: { hash: '#/document/computation/review-brief', wait: '.cm-content', act: async (page) => {
    await page.locator('.cm-content').click(); await page.keyboard.press('Control+Home'); await page.keyboard.press('ArrowDown'); await page.keyboard.press('End'); await page.keyboard.type(', in short');
    const text = await page.evaluate(async () => (await (await fetch('/studio/api/documents/computation/review-brief')).json()).text);
    await page.evaluate((body) => fetch('/studio/api/documents/computation/review-brief/outside', { method: 'POST', body }), JSON.stringify({ text: text.replace('the goal is not stated', 'no goal is stated') }));
    await page.getByText('The file changed outside').waitFor(); await page.getByRole('button', { name: 'Compare' }).click(); await page.locator('.cm-mergeView').waitFor();
    await page.evaluate((body) => fetch('/studio/api/documents/computation/review-brief/outside', { method: 'POST', body }), JSON.stringify({ text }));
  } },
  palette: { hash: '#/document/computation/review-brief', wait: '.cm-content', act: async (page) => { await page.keyboard.press('Control+k'); await page.getByRole('combobox', { name: 'Command' }).fill('run'); } },
  runs: { hash: '#/runs', wait: '[role=row] [role=gridcell]' },
  run: { hash: '#/run/0199a3c4-7d2e-7c1a-9b3f-2f1e0d9c8b71', wait: 'h1' },
  'run-rejected': { hash: '#/run/0199a3c4-7d2e-7c1a-9b3f-2f1e0d9befc6', wait: 'h1' },
  feed: { hash: '#/feed', wait: '[role=row] [role=gridcell]', act: async (page) => { await page.locator('[role=row] [role=gridcell]').nth(12).click(); await page.waitForTimeout(400); } },
  views: { hash: '#/views', wait: 'h1' },
  view: { hash: '#/view/campaign-reviews', wait: '[role=treeitem]' },
  stalled: { hash: '#/view/visit-counts', wait: '.cm-content', act: async (page) => { await page.waitForTimeout(500); } },
  scrub: { hash: '#/view/campaign-reviews?show=scrub', wait: '[role=treeitem]', act: async (page) => { await page.getByRole('slider').focus(); await page.waitForTimeout(900); await page.keyboard.press('PageDown'); await page.waitForTimeout(500); } },
  'scrub-jump': { hash: '#/view/campaign-reviews?show=scrub&at=912', wait: '[role=treeitem]', act: async (page) => { await page.getByRole('tree', { name: /View of/ }).getByText('spring-sale').click(); await page.getByRole('button', { name: /At a time/ }).click(); await page.waitForTimeout(300); } },
  'scrub-first': { hash: '#/view/campaign-reviews?show=scrub&at=0', wait: '[role=treeitem]' },
  widen: { hash: '#/view/visit-counts', wait: '.cm-content', act: async (page) => { await page.locator('.cm-content').click(); await page.keyboard.press('Control+End'); await page.keyboard.type('// typeof'); await page.getByText('Reached the end').waitFor(); await page.getByRole('button', { name: /Keep as a case/ }).click(); } },
  widening: { hash: '#/view/visit-counts', wait: '.cm-content', act: async (page) => { await page.locator('.cm-content').click(); await page.keyboard.press('Control+End'); await page.keyboard.type('// typeof'); await page.getByText('Folds this event').waitFor(); await page.getByRole('button', { name: /Try all/ }).click(); await page.waitForTimeout(1500); } },
  further: { hash: '#/view/visit-counts', wait: '.cm-content', act: async (page) => { await page.locator('.cm-content').click(); await page.keyboard.press('Control+End'); await page.keyboard.type('// typeof again'); await page.getByText('Folds this event').waitFor(); await page.getByRole('button', { name: /Try all/ }).click(); await page.getByText('Stalls further on').waitFor(); } },
  publish: { hash: '#/publish', wait: 'h1', act: async (page) => { await page.getByRole('button', { name: /Make a plan/ }).click(); await page.getByText('changed in both').first().waitFor(); } },
  sent: { hash: '#/publish', wait: 'h1', act: async (page) => { await page.getByRole('button', { name: /Make a plan/ }).click(); await page.getByText('changed in both').first().waitFor(); await page.getByRole('button', { name: /^Send/ }).click(); await page.getByText('read back').first().waitFor(); } },
  flow: { hash: '#/document/workflow/review-and-approve', wait: 'svg g[data-kind]' },
  'flow-every': { hash: '#/document/workflow/every-kind', wait: 'svg g[data-kind]', act: async (page) => { await page.getByRole('listbox').focus(); await page.keyboard.press('ArrowDown'); await page.keyboard.press('ArrowDown'); await page.keyboard.press('0'); } },
  'flow-long': { hash: '#/document/workflow/long-one', wait: 'svg g[data-kind]' },
  'flow-all': { hash: '#/document/workflow/very-long', wait: 'svg g[data-kind]', act: async (page) => { await page.getByRole('listbox').focus(); await page.keyboard.press('0'); } },
  'flow-many': { hash: '#/document/workflow/too-long', wait: '.cm-content' },
  'wf-run': { hash: '#/run/0199a3c4-7d2e-7c1a-9b3f-00000000f10a', wait: 'svg g[data-kind]' },
  'wf-step': { hash: '#/run/0199a3c4-7d2e-7c1a-9b3f-00000000f10a?at=4.1', wait: 'svg g[data-kind]', act: async (page) => { await page.keyboard.press('F7'); await page.keyboard.press('F7'); await page.getByRole('tab', { name: /Expressions/ }).click(); } },
  'wf-time': { hash: '#/run/0199a3c4-7d2e-7c1a-9b3f-00000000f10a?show=timeline', wait: 'svg g[data-kind]' },
  'wf-records': { hash: '#/run/0199a3c4-7d2e-7c1a-9b3f-00000000f20b?show=records&at=12345', wait: 'svg g[data-kind]' },
  inbox: { hash: '#/inbox', wait: '[role=row] [role=gridcell]' },
  'inbox-one': { hash: '#/inbox?request=0199a3c4-7d2e-7c1a-9b3f-00000000a001', wait: '[role=row] [role=gridcell]', act: async (page) => { await page.getByRole('button', { name: 'Answer', exact: true }).click(); await page.getByText('Not taken').waitFor(); } },
  triggers: { hash: '#/triggers', wait: '[role=row] [role=gridcell]' },
  'trigger-one': { hash: '#/triggers?trigger=every-kind%2Fschedule%2Fon', wait: '[role=row] [role=gridcell]', act: async (page) => { await page.getByRole('button', { name: /would it have matched/ }).click(); await page.getByText('Missed').waitFor(); } },
  'trigger-cron': { hash: '#/triggers?trigger=every-kind%2Fschedule%2Fcron', wait: '[role=row] [role=gridcell]' },
  settings: { hash: '#/settings', wait: 'h1' },
};
const sizes = { huge: [1920, 1080], wide: [1280, 800], small: [1024, 640], narrow: [700, 800] };
for (const [name, shot] of Object.entries(shots)) {
  if (only.length > 0 && !only.some((one) => one.split(':')[0] === name)) continue;
  const asked = only.find((one) => one.split(':')[0] === name)?.split(':').slice(1) ?? [];
  for (const [size, [width, height]] of Object.entries(sizes)) {
    if (asked.length > 0 ? !asked.includes(size) : size !== 'wide') continue;
    for (const scheme of asked.includes('dark') ? ['dark'] : asked.includes('light') ? ['light'] : ['light', 'dark']) {
      const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme });
      const page = await context.newPage();
      page.on('console', (line) => { if (['error', 'warning'].includes(line.type())) console.log(name, line.text()); });
      page.on('pageerror', (error) => console.log(name, 'ERROR', error.message));
      try {
        await page.goto((shot.closed ? closed : fixture).url + shot.hash);
        if (shot.wait) await page.locator(shot.wait).first().waitFor({ timeout: 6000 });
        await shot.act?.(page);
        await page.waitForTimeout(350);
      } catch (error) { console.log(name, size, scheme, error.message.split('\n')[0]); }
      await page.screenshot({ path: `${out}/${name}-${size}-${scheme}.png` });
      await context.close();
    }
  }
}
await browser.close();
fixture.server.kill();
closed.server.kill();
