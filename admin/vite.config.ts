import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { precompress } from './build/precompress.ts';

/** A server to work against: `npm start` at the root. */
const keyServer = 'http://127.0.0.1:4100';

export default defineConfig({
  base: '/admin/',
  plugins: [react(), precompress()],
  build: {
    // What Mantine's styles and light-dark() need: browsers of 2024 and later.
    target: ['chrome123', 'edge123', 'firefox121', 'safari17.5'],
    // The policy of the page allows no data: fonts and no inline script.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
    reportCompressedSize: false,
    // Compressing takes most of the time, and is meant to.
    rolldownOptions: { checks: { pluginTimings: false } },
  },
  server: {
    proxy: Object.fromEntries(['/api', '/keys', '/health', '/ready'].map((path) => [path, keyServer])),
  },
});
