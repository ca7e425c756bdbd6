import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';

const root = dirname(import.meta.dirname);
const runner = pathToFileURL(`${root}/tools/run-pinned.mjs`).href;

/** Starts a program through `runPinned`. `before` runs in the launcher first. */
function launch(program: string, before = '') {
  const code = `${before}; const { runPinned } = await import(${JSON.stringify(runner)}); runPinned(['-e', ${JSON.stringify(program)}])`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, closed: once(child, 'close') as Promise<[code: number | null, signal: string | null]> };
}

test('pnpm judges packages by the Node that the workspace pins', () => {
  const { nodeVersion, catalog } = parse(readFileSync(`${root}/pnpm-workspace.yaml`, 'utf8'));
  expect(nodeVersion).toBe(catalog.node);
});

test.skipIf(process.platform === 'win32')(
  'a command runs in the process of its launcher, so that no second process takes memory',
  async () => {
    const { child, closed } = launch('process.stdout.write(String(process.pid))');
    expect(Number(await text(child.stdout))).toBe(child.pid);
    expect(await closed).toEqual([0, null]);
  },
);

describe.each([
  ['in its place', ''],
  ['as a child of it, on a Node that cannot replace its process,', 'process.execve = undefined'],
])('a command that the launcher runs %s', (_how, before) => {
  it('ends the launcher with the exit code of the command', async () => {
    expect((await launch('process.exit(7)', before).closed)[0]).toBe(7);
  });

  it('receives the SIGTERM that is sent to the launcher, and ends in its own order', async () => {
    const program = `process.on('SIGTERM', () => process.exit(9)); setInterval(() => {}, 1_000); console.log('ready')`;
    const { child, closed } = launch(program, before);
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    expect((await closed)[0]).toBe(9);
  });

  it('finds its compiled code in the folder of the workspace, unless NODE_COMPILE_CACHE names another one', async () => {
    const print = 'console.log(process.env.NODE_COMPILE_CACHE)';
    const read = async (set: string) => (await text(launch(print, `${before}; ${set}`).child.stdout)).trim();
    expect(await read('delete process.env.NODE_COMPILE_CACHE')).toBe(`${root}/.cache/compile`);
    expect(await read("process.env.NODE_COMPILE_CACHE = '/elsewhere'")).toBe('/elsewhere');
  });
});
