import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@latchkey/support/black-box/eventually';
import { complete, makeTestFolder } from '@latchkey/support/black-box/own-process';
import { repositoryFolder } from '@latchkey/support/repository';
import { expect, it, onTestFinished } from 'vitest';

/** Starts the server in a process group of its own, so that the test can end all its processes. */
function start(env: Readonly<Record<string, string>>) {
  const child = spawn('npm', ['start'], {
    cwd: repositoryFolder,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      ...complete,
      ...env,
      SQLITE_PATH: join(makeTestFolder(), 'latchkey.db'),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  onTestFinished(() => {
    try {
      process.kill(-(child.pid ?? 0), 'SIGKILL');
    } catch {
      // As expected, no process is left.
    }
  });
  let written = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    written += text;
  });
  const url = () => /serves on (http:\/\/[^\s"]+)/.exec(written)?.[1];
  return { child, written: () => written, url };
}

/** By IPv6 where this machine has it. */
const host = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
)
  ? '::1'
  : '127.0.0.1';

it('`npm start` shows a URL that opens, also on an address of IPv6, and SIGTERM to it alone ends the server in order, and the command after it', async () => {
  const { child, written, url: find } = start({ HOST: host });
  const url = await eventually(() => {
    const found = find();
    if (!found) throw new Error(`It does not listen. It wrote:\n${written()}`);
    return found;
  });
  expect((await fetch(`${url}/health`)).status).toBe(200);
  child.kill('SIGTERM');
  await once(child, 'exit');
  await expect(fetch(`${url}/health`)).rejects.toThrow();
  await eventually(() => expect(written()).toContain('SIGTERM: closing'));
});
