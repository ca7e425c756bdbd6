import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished, vi } from 'vitest';
import { complete, makeTestFolder } from './own-process.ts';

// Each test starts servers: seconds, and more on a machine that is busy with everything else.
vi.setConfig({ testTimeout: 120_000 });

const entry = fileURLToPath(new URL('../../gateway/src/single-node.ts', import.meta.url));
const patience = { timeout: 60_000, interval: 20 };
const listening = /serves on (http:\/\/[^\s"]+)/;

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function environment(env: Record<string, string> = {}): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, ...complete, SQLITE_PATH: join(makeTestFolder(), 'latchkey.db'), ...env };
}

/** The single node with pipes of which nobody reads standard output. */
async function startUnread(env: Record<string, string> = {}): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [entry], {
    env: environment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let told = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    told += text;
  });
  await vi.waitFor(() => expect(told).toMatch(listening), patience);
  return { child, url: listening.exec(told)?.[1] ?? '' };
}

/** Asks until the log of it is more than a pipe holds: 64 KiB, or some 200 where it is a pair of sockets. */
async function fillLog(url: string): Promise<void> {
  for (let round = 0; round < 120; round++)
    await Promise.all(
      Array.from({ length: 25 }, () => fetch(`${url}/health`).then((answer) => answer.text())),
    );
}

it('a server whose log is read by nobody ends at SIGTERM, though its last lines cannot be written', async () => {
  const { child, url } = await startUnread();
  await fillLog(url);
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});

it('a second signal ends the process at once, though it drains and its log is read by nobody', async () => {
  const { child, url } = await startUnread({ SHUTDOWN_DRAIN_SECONDS: '300' });
  await fillLog(url);
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await vi.waitFor(async () => expect((await fetch(`${url}/ready`)).status).toBe(503), patience);
  // A second one within half a second counts as the echo of the first.
  while (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGTERM');
    await sleep(100);
  }
  expect(await ended).toEqual([1, null]);
});

/** Starts the server as a process manager does, says where it is, and is killed while requests are being logged. */
const supervisor = `
  import { spawn } from 'node:child_process';
  const child = spawn(process.execPath, [process.argv[1]], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  child.stdout.resume();
  let told = '';
  let said = false;
  child.stderr.on('data', (text) => {
    told += text;
    const [, url] = /${listening.source}/.exec(told) ?? [];
    if (!url || said) return;
    said = true;
    console.log(JSON.stringify({ pid: child.pid, url }));
  });`;

it('a server ends when the process that started it and reads its log is killed', async () => {
  const args = ['--input-type=module', '-e', supervisor, entry];
  const parent = spawn(process.execPath, args, { env: environment(), stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void parent.kill('SIGKILL'));
  const [said] = await once(parent.stdout, 'data');
  const { pid, url } = JSON.parse(String(said)) as { pid: number; url: string };
  onTestFinished(() => void (isRunning(pid) && process.kill(pid, 'SIGKILL')));
  // Lines are gathered for 100 ms, so that some are still to be written when it ends.
  const asked = Array.from({ length: 50 }, () => fetch(`${url}/health`).catch(() => {}));
  await Promise.race(asked);
  parent.kill('SIGKILL');
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), patience);
});
