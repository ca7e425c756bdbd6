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
 * Of a module and the errors that it imports, without hls.js. A larger one is a decision, not an accident: it was 11 KB before the player
 * learned the periods of a stream, to fetch each next key ahead, 12.6 KB before native HLS played sessions, and 12.7 KB before it loaded
 * hls.js (180 KB) only if it is used, and 13.9 KB before a viewer could be blocked. AirPlay and Cast are in a module of their own.
 */
const maxGzipBytes = 14 * bytesOfKb;

/** The code of a document that uses the package. */
const samplesOf = (document: string) =>
  [...readFileSync(join(source, document), 'utf8').matchAll(/^```[jt]s\n(.*?)^```/gms)]
    .map(([, code = '']) => code)
    .filter((code) => code.includes("from '@latchkey/player"));
/** The declarations around the samples in an application. */
const names = `
  declare const keyServerUrl: string;
  declare const keyServerAuth: () => Promise<string>;
  declare const video: HTMLVideoElement;
  declare const player: {
    unload(): Promise<void>;
    getNetworkingEngine(): {
      registerRequestFilter(
        filter: (type: number, request: { uris: string[]; headers: Record<string, string> }) => Promise<void>,
      ): void;
    };
  };`;

/** Next to the sources, so that hls.js and the compiler are found: the package as it is published. */
const folder = mkdtempSync(join(source, 'node_modules', 'published-'));
const dist = join(folder, 'dist');
beforeAll(async () => {
  await buildPlayer(dist);
  cpSync(join(source, 'package.json'), join(folder, 'package.json'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the built package', () => {
  it.each(['index', 'remote', 'shaka'])(
    'the built %s and its errors are at most 14 KB compressed',
    (entry) => {
      const sizes = [entry, 'player-error'].map(
        (name) => gzipSync(readFileSync(join(dist, `${name}.js`)), { level: 9 }).length,
      );
      expect(sizes.reduce((sum, bytes) => sum + bytes)).toBeLessThan(maxGzipBytes);
    },
  );

  it('the modules of the built package import only its errors, and load hls.js and what AirPlay and Cast need when it is needed', () => {
    const found = (entry: string, form: RegExp) =>
      [...readFileSync(join(dist, `${entry}.js`), 'utf8').matchAll(form)].map(([, name]) => name);
    const imports = (entry: string) => found(entry, /(?:from|import)\s*["'`]([^"'`]+)["'`]/g);
    const modules = ['index', 'player-error', 'remote', 'shaka'];
    const errors = ['./player-error.js'];
    expect(modules.map(imports)).toEqual([errors, [], errors, errors]);
    expect(new Set(found('index', /import\(["'`]([^"'`]+)["'`]\)/g))).toEqual(
      new Set(['./remote.js', 'hls.js']),
    );
    expect(readdirSync(dist).filter((name) => name.endsWith('.js'))).toEqual(
      modules.map((name) => `${name}.js`),
    );
    const index = readFileSync(join(dist, 'index.js'), 'utf8');
    // A name that only AirPlay uses.
    expect(index).not.toContain('webkitplaybacktargetavailabilitychanged');
    expect(readFileSync(join(dist, 'remote.js'), 'utf8')).toContain(
      'webkitplaybacktargetavailabilitychanged',
    );
  });

  it('the built package satisfies publint', async () => {
    expect((await publint({ pkgDir: folder, pack: false, strict: true })).messages).toEqual([]);
  });

  it('the built package can be imported without a browser, and its entries have one class of errors', async () => {
    const script = `
      const { createPlayer, attach, PlayerError } = await import(${JSON.stringify(join(dist, 'index.js'))});
      const { shakaRequestFilter, PlayerError: OfShaka } = await import(${JSON.stringify(join(dist, 'shaka.js'))});
      console.log(typeof window, typeof createPlayer, typeof attach, typeof shakaRequestFilter, PlayerError === OfShaka);`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
    expect(stdout.trim()).toBe('undefined function function function true');
  });

  it('an application compiles against the types of the built package, and so do the samples of the documents', async () => {
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
    const samples = [...samplesOf('README.md'), ...samplesOf('../../docs/start/integrate.md')];
    const files = samples.map((code, number) => {
      const sample = join(folder, `sample-${number}.ts`);
      writeFileSync(
        sample,
        code.replace(/'@latchkey\/player(\/shaka)?'/, (_, entry) => `'./dist${entry ?? '/index'}.js'`),
      );
      return sample;
    });
    expect(files).toHaveLength(3);
    writeFileSync(join(folder, 'names.d.ts'), names);
    files.push(file, join(folder, 'names.d.ts'));
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
    const { stdout } = await promisify(execFile)(process.execPath, [
      compiler,
      ...flags,
      ...lib,
      ...files,
    ]).catch((error) => error);
    expect(stdout).toBe('');
  });
});
