import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { eventually } from './eventually.ts';
import { complete, makeTestFolder } from './own-process.ts';
import { makeSecretFolder } from './secret-folder.ts';

const root = join(import.meta.dirname, '../..');
/** The lowest bit of `SigCgt` in `/proc/PID/status` is signal 1, SIGHUP (proc(5)). */
const catchesHangup = /^SigCgt:\s+[0-9a-f]*[13579bdf]$/m;
const { AUTH_JWT_SECRET, ...others } = complete;
const folder = makeSecretFolder({ AUTH_JWT_SECRET });

/** Starts the server as `npm start` and systemd do. */
function startServer(env: Readonly<Record<string, string | undefined>>) {
  const child = spawn(process.execPath, ['scripts/run.mjs', 'start'], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      ...others,
      ...env,
      SQLITE_PATH: join(makeTestFolder(), 'latchkey.db'),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let written = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    written += text;
  });
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  return { child, isRunning, written: () => written };
}

it.each([
  ['one process', '1'],
  ['workers', '2'],
])(
  'SIGHUP before the server listens does not end a server that reads secrets from files: %s',
  async (_, workers) => {
    const server = startServer({ ...folder.variables, LATCHKEY_WORKERS: workers });
    const of = (file: string) => readFileSync(`/proc/${server.child.pid}/${file}`, 'utf8');
    // Node itself takes some hundredths of a second before anything can listen to a signal.
    await eventually(() => {
      expect(of('cmdline')).toContain('single-node.ts');
      expect(of('status')).toMatch(catchesHangup);
    });
    expect(server.written()).not.toContain('serves on');
    while (server.isRunning() && !server.written().includes('serves on')) {
      server.child.kill('SIGHUP');
      await pause(5);
    }
    await eventually(() => expect(server.written()).toContain('SIGHUP: the files were read again'));
    const [, url] = /serves on (http:\/\/[^\s"]+)/.exec(server.written()) ?? [];
    expect((await fetch(`${url}/health`)).status).toBe(200);
  },
);
