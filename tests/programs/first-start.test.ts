import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { freePorts, makeTestFolder } from '@latchkey/support/black-box/own-process';
import { repositoryFolder } from '@latchkey/support/repository';
import { expect, it, onTestFinished, vi } from 'vitest';

// It installs packages, of which the store of pnpm may lack some.
vi.setConfig({ testTimeout: 600_000 });

/** The Node of this machine, not the one of the workspace. */
const PATH = process.env.PATH?.split(delimiter)
  .filter((path) => !path.includes('node_modules'))
  .join(delimiter);

/** The files of the repository as they are, without packages and a built dashboard. */
function copyRepository(): string {
  const folder = makeTestFolder();
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: repositoryFolder,
    encoding: 'utf8',
  });
  for (const file of listed.split('\0').filter((name) => name && existsSync(join(repositoryFolder, name))))
    cpSync(join(repositoryFolder, file), join(folder, file));
  return folder;
}

it('the first `npm start` installs only what servers need, without warnings, and serves the dashboard; what tests need is added later and stays', async () => {
  const folder = copyRepository();
  const env = { PATH, HOME: process.env.HOME, ...freePorts };
  const child = spawn('node', ['tools/run.mjs', 'start'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  const closed = text(child.stderr);
  onTestFinished(() => {
    if (child.exitCode === null) process.kill(-(child.pid ?? 0), 'SIGKILL');
  });
  let written = '';
  child.stderr.on('data', (chunk: Buffer) => {
    written += chunk;
  });
  const find = () => /serves on (http:\/\/[^\s"]+)/.exec(written)?.[1] ?? expect.fail(written);
  const url = await vi.waitFor(find, { timeout: 300_000, interval: 50 });
  expect((await fetch(`${url}/admin/`)).status).toBe(200);
  expect(written).not.toContain('WARN');
  const has = (name: string) => existsSync(join(folder, 'node_modules', name));
  expect(['node', '.bin/node', 'vitest', 'typescript'].filter(has)).toEqual(['node', '.bin/node']);
  process.kill(-(child.pid ?? 0), 'SIGTERM');
  await closed;

  const run = (...args: string[]) =>
    execFileSync('node', args, { cwd: folder, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  run('tools/run.mjs', 'test', '--help');
  expect(has('vitest')).toBe(true);
  run('tools/run.mjs', 'start', '--version');
  run('tools/latchkey.mjs', '--version');
  expect(has('vitest')).toBe(true);
});
