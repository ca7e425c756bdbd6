import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, expect, it, vi } from 'vitest';

// The compiler takes a second, and longer on a machine that is busy.
vi.setConfig({ testTimeout: 120_000 });
const here = import.meta.dirname;
const folder = mkdtempSync(join(tmpdir(), 'latchkey-uploader-package-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The package as a project has it that installed it: pnpm puts `publishConfig` over the manifest when it packs. */
const installed = join(folder, 'node_modules/@latchkey/uploader');
const { publishConfig, scripts, devDependencies, ...manifest } = JSON.parse(
  readFileSync(join(here, 'package.json'), 'utf8'),
);
const published = { ...manifest, ...publishConfig };
execFileSync(process.execPath, [join(here, 'build-package.ts'), join(installed, 'dist')], {
  stdio: 'inherit',
});
writeFileSync(join(installed, 'package.json'), JSON.stringify(published));
cpSync(join(here, 'README.md'), join(installed, 'README.md'));

const read = (name: string) => readFileSync(join(installed, 'dist', name));
const importsOf = (name: string) =>
  [
    ...read(name)
      .toString()
      .matchAll(/from\s*["'`]\.\/([^"'`]+)["'`]/g),
  ].map(([, file]) => file ?? '');

it('the modules for a browser are at most 6.5 KB compressed', () => {
  const files = ['index.js', ...importsOf('index.js')];
  const bytes = files.reduce((sum, name) => sum + gzipSync(read(name), { level: 9 }).length, 0);
  expect(bytes).toBeLessThanOrEqual(6.5 * 1024);
});

it('the modules for a browser import nothing of Node', () => {
  for (const name of ['index.js', ...importsOf('index.js')])
    expect(read(name).toString()).not.toMatch(/node:/);
  expect(read('node.js').toString()).toMatch(/node:fs/);
});

it('the published package satisfies publint in strict mode', async () => {
  // The folder holds what is published and nothing else.
  const { messages } = await publint({ pkgDir: installed, pack: false, strict: true });
  expect(messages.map((message) => formatMessage(message, published))).toEqual([]);
});

it('a project compiles against the published types, and so do the samples of the README', () => {
  const project = join(folder, 'project');
  mkdirSync(project);
  writeFileSync(
    join(project, 'use.ts'),
    `import { filesFromList, upload, type UploadResult } from '${manifest.name}';
import { createFileMemory, openFolder, upload as uploadFromNode } from '${manifest.name}/node';
const options = { auth: async () => 'token', contentId: 'film', keyServerUrl: 'https://keys.example.com' };
export const a: Promise<UploadResult> = upload(filesFromList([new File([], 'a.ts')]), options);
export const b: Promise<UploadResult> = uploadFromNode(await openFolder('film'), { ...options, memory: createFileMemory('m') });
// @ts-expect-error a token is needed
upload([], { contentId: 'film', keyServerUrl: 'https://keys.example.com' });
`,
  );
  const samples = [...readFileSync(join(here, 'README.md'), 'utf8').matchAll(/^```ts\n(.*?)^```/gms)];
  const names = samples.map(([, code = ''], number) => {
    writeFileSync(join(project, `sample-${number}.ts`), code);
    return `sample-${number}.ts`;
  });
  expect(names).toHaveLength(2);
  writeFileSync(
    join(project, 'node.d.ts'),
    'declare const process: { env: Record<string, string | undefined> };',
  );
  writeFileSync(join(project, 'package.json'), '{"type":"module"}');
  // The strictest way to find modules: what it finds, a bundler finds too.
  const modules = { module: 'nodenext', moduleResolution: 'nodenext', target: 'es2022' };
  const lib = ['es2022', 'dom', 'dom.iterable'];
  const compilerOptions = { ...modules, lib, types: [], strict: true, noEmit: true };
  writeFileSync(
    join(project, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['use.ts', 'node.d.ts', ...names] }),
  );
  const { stdout, status } = spawnSync(join(here, 'node_modules/.bin/tsc'), ['-p', project], {
    encoding: 'utf8',
  });
  expect({ stdout, status }).toEqual({ stdout: '', status: 0 });
});
