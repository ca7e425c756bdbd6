import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { precompress } from './build/precompress.ts';

/** The server for development: `npm start` at the root. */
const keyServer = 'http://127.0.0.1:4100';

export default defineConfig({
  base: '/admin/',
  plugins: [react(), precompress()],
  build: {
    // Mantine's styles and light-dark() need browsers of 2024 or later.
    target: ['chrome123', 'edge123', 'firefox121', 'safari17.5'],
    // The page's policy forbids data: fonts and inline scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
    reportCompressedSize: false,
    // No warning that a plugin takes most of the time: compression does, as intended.
    rolldownOptions: { checks: { pluginTimings: false } },
  },
  server: {
    proxy: Object.fromEntries(['/api', '/keys', '/health', '/ready'].map((path) => [path, keyServer])),
  },
});
