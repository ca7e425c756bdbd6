import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

/** Smaller files hardly shrink, and fit one packet either way. */
const minBytes = 1_024;
const compressible = /\.(js|css|html|svg|json)$/;

/** Writes a `.br` and a `.gz` beside every file of the build, so that the server never compresses. */
export function precompress(): Plugin {
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
