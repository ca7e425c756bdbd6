import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** The server for development: `npm start` at the root. */
const keyServer = 'http://127.0.0.1:4100';

export default defineConfig(({ command }) => ({
  // Relative in a build: scripts and styles then find their files below any path. The server writes the paths of the page.
  base: command === 'build' ? './' : '/admin/',
  plugins: [react(), precompress()],
  resolve: { alias: { 'react-remove-scroll': join(import.meta.dirname, 'src/shell/scroll-lock.tsx') } },
  build: {
    // Mantine's styles and light-dark() need browsers of 2024 or later.
    target: ['chrome123', 'edge123', 'firefox121', 'safari17.5'],
    // The page's policy forbids data: fonts and inline scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
    reportCompressedSize: false,
    // The program is half a megabyte before compression.
    chunkSizeWarningLimit: 600,
    // No warning that a plugin takes most of the time: compression does, as intended.
    rolldownOptions: {
      checks: { pluginTimings: false },
      // The program is one file, and the page that a sign-in leads to another one with all that it needs alone. The further code that several
      // pages share is a third: it compresses better than about twenty small files, and a page would need several of them.
      output: {
        codeSplitting: {
          groups: [
            { name: 'start', tags: ['$initial'], priority: 2 },
            { name: 'overview-page', test: /overview-page\.tsx$/, priority: 1 },
            { name: 'common', minShareCount: 2 },
          ],
        },
      },
    },
  },
  server: {
    proxy: Object.fromEntries(['/api', '/keys', '/health', '/ready'].map((path) => [path, keyServer])),
  },
}));

/** Smaller files hardly shrink, and fit one packet either way. */
const minBytes = 1_024;
const compressible = /\.(js|css|svg|json)$/;

/** Writes a `.br` and a `.gz` next to the files of the build, so that the server never compresses. It changes the page, so that has neither. */
function precompress(): Plugin {
  return {
    name: 'precompress',
    apply: 'build',
    writeBundle({ dir = '.' }, bundle) {
      for (const [name, output] of Object.entries(bundle)) {
        const source = Buffer.from(output.type === 'chunk' ? output.code : output.source);
        if (!compressible.test(name) || source.length < minBytes) continue;
        const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
        writeFileSync(join(dir, `${name}.br`), brotliCompressSync(source, { params }));
        writeFileSync(join(dir, `${name}.gz`), gzipSync(source, { level: constants.Z_BEST_COMPRESSION }));
      }
    },
  };
}
