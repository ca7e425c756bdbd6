import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { buildPlayer } from './build.ts';

// The compiler takes a second, and longer on a machine that is busy.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
const source = dirname(fileURLToPath(import.meta.url));
const bytesOfKb = 1024;
/**
 * Of the module without hls.js. A larger one is a decision, not an accident: it was 11 KB before the player learned the periods of
 * a stream, to fetch each next key ahead, and 12.6 KB before native HLS played sessions. AirPlay and Cast are in a module of their own.
 */
const maxGzipBytes = 12.7 * bytesOfKb;

/** Beside the sources, so that hls.js and the compiler are found: the package as it is published. */
const folder = mkdtempSync(join(source, 'node_modules', 'published-'));
const dist = join(folder, 'dist');
beforeAll(async () => {
  await buildPlayer(dist);
  cpSync(join(source, 'package.json'), join(folder, 'package.json'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the built package', () => {
  it.each(['index', 'remote', 'shaka'])(
    'the built %s is one module of at most 12.7 KB compressed',
    (entry) => {
      const { length } = gzipSync(readFileSync(join(dist, `${entry}.js`)), { level: 9 });
      expect(length).toBeLessThan(maxGzipBytes);
    },
  );

  it('the built package imports only hls.js', () => {
    const imports = (entry: string) =>
      [
        ...readFileSync(join(dist, `${entry}.js`), 'utf8').matchAll(/(?:from|import)\s*["'`]([^"'`]+)["'`]/g),
      ].map(([, name]) => name);
    expect([imports('index'), imports('remote'), imports('shaka')]).toEqual([['hls.js'], [], []]);
    const modules = ['index.js', 'remote.js', 'shaka.js'];
    expect(readdirSync(dist).filter((name) => name.endsWith('.js'))).toEqual(modules);
  });

  it('the built index loads what AirPlay and Cast need only when it is needed', () => {
    const index = readFileSync(join(dist, 'index.js'), 'utf8');
    expect(index).toMatch(/import\([`'"]\.\/remote\.js[`'"]\)/);
    // A name that only AirPlay uses.
    expect(index).not.toContain('webkitplaybacktargetavailabilitychanged');
    expect(readFileSync(join(dist, 'remote.js'), 'utf8')).toContain(
      'webkitplaybacktargetavailabilitychanged',
    );
  });

  it('the built package satisfies publint', async () => {
    expect((await publint({ pkgDir: folder, pack: false, strict: true })).messages).toEqual([]);
  });

  it('the built package can be imported without a browser', async () => {
    const script = `
      const { createPlayer, attach, PlayerError } = await import(${JSON.stringify(join(dist, 'index.js'))});
      const { shakaRequestFilter } = await import(${JSON.stringify(join(dist, 'shaka.js'))});
      console.log(typeof window, typeof createPlayer, typeof attach, typeof PlayerError, typeof shakaRequestFilter);`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
    expect(stdout.trim()).toBe('undefined function function function function');
  });

  it('an application compiles against the types of the built package', async () => {
    const file = join(folder, 'application.ts');
    writeFileSync(
      file,
      `import { createPlayer, type PlayerError, type PlayerMetrics } from './dist/index.js';
       import { shakaRequestFilter } from './dist/shaka.js';
       const options = { keyServerUrl: '', keyServerAuth: async () => '' };
       const player = createPlayer({ ...options, video: document.createElement('video') });
       player.on('error', (error: PlayerError) => error.code === 'LEASE_REVOKED');
       export const metrics: PlayerMetrics = player.getMetrics();
       export const filter = shakaRequestFilter(options);
       // @ts-expect-error an event that there is not
       player.on('nonsense', () => {});`,
    );
    const compiler = fileURLToPath(new URL('bin/tsc', import.meta.resolve('typescript/package.json')));
    const flags = [
      '--ignoreConfig',
      '--noEmit',
      '--strict',
      '--module',
      'esnext',
      '--moduleResolution',
      'bundler',
      '--target',
      'es2022',
    ];
    const lib = ['--lib', 'es2022,dom,dom.iterable', '--types', ''];
    const { stdout } = await promisify(execFile)(process.execPath, [compiler, ...flags, ...lib, file]).catch(
      (error) => error,
    );
    expect(stdout).toBe('');
  });
});
