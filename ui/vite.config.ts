import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

// One bundle for two hosts: the desktop app answers `rt://localhost/`, `playbook serve --ui` answers
// `http://127.0.0.1:PORT/`. Relative addresses hold in both.
export default defineConfig({
  base: './',
  plugins: [react()],
  build: {
    target: 'safari16.4',
    outDir: 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 2048,
    chunkSizeWarningLimit: 900,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { '/studio/api': 'http://127.0.0.1:4179', '/v1': 'http://127.0.0.1:4179' } },
  test: {
    environment: 'jsdom',
    testTimeout: 30_000,
    setupFiles: ['src/testing/setup.ts'],
    include: ['src/**/*.test.{ts,tsx}'],
    css: { modules: { classNameStrategy: 'non-scoped' } },
  },
});
