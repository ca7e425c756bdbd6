import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@latchkey/support/black-box/eventually';
import { complete, makeTestFolder } from '@latchkey/support/black-box/own-process';
import { repositoryFolder } from '@latchkey/support/repository';
import { expect, it, onTestFinished, vi } from 'vitest';
import { makeSecretFolder } from './secret-folder.ts';

/** The lowest bit of `SigCgt` in `/proc/PID/status` is signal 1, SIGHUP (proc(5)). */
const catchesHangup = /^SigCgt:\s+[0-9a-f]*[13579bdf]$/m;
const { AUTH_JWT_SECRET, ...others } = complete;
const folder = makeSecretFolder({ AUTH_JWT_SECRET });

/** Starts the server by a command, in a process group of its own, so that the test can end all its processes. */
function startBy(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
) {
  const child = spawn(command, args, {
    cwd: repositoryFolder,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      ...others,
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
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const url = () => /serves on (http:\/\/[^\s"]+)/.exec(written)?.[1];
  return { child, isRunning, written: () => written, url };
}

/** By IPv6 where this machine has it. */
const host = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
)
  ? '::1'
  : '127.0.0.1';

it('`npm start` shows a URL that opens, also on an address of IPv6, and SIGTERM to it alone ends the server in order, and the command after it', async () => {
  const { child, written, url: find } = startBy('npm', ['start'], { AUTH_JWT_SECRET, HOST: host });
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

it.each([
  ['has no variable from a file', { AUTH_JWT_SECRET }, 'SIGHUP: no variable comes from a file'],
  ['reads secrets from files', folder.variables, 'SIGHUP: the files were read again'],
])('SIGHUP before a server without a terminal listens does not end it, if it %s', async (_, env, line) => {
  // As `npm start` and systemd do.
  const server = startBy(process.execPath, ['tools/run.mjs', 'start'], env);
  const of = (file: string) => readFileSync(`/proc/${server.child.pid}/${file}`, 'utf8');
  // Node itself takes some hundredths of a second before anything can listen to a signal.
  await vi.waitFor(
    () => {
      expect(of('cmdline')).toContain('single-node.ts');
      expect(of('status')).toMatch(catchesHangup);
    },
    { timeout: 60_000, interval: 1 },
  );
  expect(server.written()).not.toContain('serves on');
  while (server.isRunning() && !server.written().includes('serves on')) {
    server.child.kill('SIGHUP');
    await pause(5);
  }
  await eventually(() => expect(server.written()).toContain(line));
  expect((await fetch(`${server.url()}/health`)).status).toBe(200);
});
