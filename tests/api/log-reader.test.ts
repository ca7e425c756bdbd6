import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@latchkey/support/black-box/eventually';
import { complete, makeTestFolder } from '@latchkey/support/black-box/own-process';
import { makeApiKey } from '@latchkey/support/black-box/target';
import { compileCache } from '@latchkey/support/processes/spawn-entry';
import { repositoryFolder } from '@latchkey/support/repository';
import { singleNodeEntry } from '@latchkey/support/stack/topology';
import { expect, it, onTestFinished } from 'vitest';

const entry = join(repositoryFolder, singleNodeEntry);
const listening = /serves on (http:\/\/[^\s"]+)/;

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function environment(env: Record<string, string> = {}): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: compileCache,
    ...complete,
    SQLITE_PATH: join(makeTestFolder(), 'latchkey.db'),
    ...env,
  };
}

/** Starts the single node with pipes, and does not read its standard output. */
async function startUnread(env: Record<string, string> = {}): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [entry], {
    env: environment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  await eventually(() => expect(output).toMatch(listening));
  return { child, url: listening.exec(output)?.[1] ?? '' };
}

/** Sends requests until their log is larger than a pipe can hold: 64 KiB, or some 200 KiB for a pair of sockets. */
async function fillLog(url: string): Promise<void> {
  const headers = { 'user-agent': 'a'.repeat(8_000) };
  for (let round = 0; round < 4; round++)
    await Promise.all(
      Array.from({ length: 25 }, () => fetch(`${url}/health`, { headers }).then((answer) => answer.text())),
    );
}

it('a server whose log is not read ends at SIGTERM, although it cannot write its last lines', async () => {
  const { child, url } = await startUnread();
  await fillLog(url);
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});

it('a second signal ends the process at once, even during the drain and if its log is not read', async () => {
  const { child, url } = await startUnread({ SHUTDOWN_DRAIN_SECONDS: '300' });
  await fillLog(url);
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await eventually(async () => expect((await fetch(`${url}/ready`)).status).toBe(503));
  // A second one within half a second counts as the echo of the first.
  while (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGTERM');
    await sleep(100);
  }
  expect(await ended).toEqual([1, null]);
});

it('keys and acts go on while nobody reads the log, also where standard error is the same pipe', async () => {
  const ADMIN_API_KEY = makeApiKey();
  const env = environment({ ADMIN_API_KEY });
  const child = spawn('sh', ['-c', 'exec "$0" "$1" 2>&1', process.execPath, entry], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  await eventually(() => expect(output).toMatch(listening));
  const url = listening.exec(output)?.[1] ?? '';
  child.stdout.pause();
  await fillLog(url);
  for (let round = 0; round < 4; round++) {
    const answer = await fetch(`${url}/api/v1/content`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_API_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ id: `film-${round}`, name: 'Film' }),
    });
    expect(answer.status).toBe(201);
    const key = await fetch(`${url}/keys/film-${round}`, {
      headers: { authorization: `Bearer ${ADMIN_API_KEY}` },
    });
    expect(key.status).toBe(200);
  }
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});

/** Starts the server as a process manager does, prints its address, and is killed while requests are logged. */
const supervisor = `
  import { spawn } from 'node:child_process';
  const child = spawn(process.execPath, [process.argv[1]], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  child.stdout.resume();
  let output = '';
  let isPrinted = false;
  child.stderr.on('data', (text) => {
    output += text;
    const [, url] = /${listening.source}/.exec(output) ?? [];
    if (!url || isPrinted) return;
    isPrinted = true;
    console.log(JSON.stringify({ pid: child.pid, url }));
  });`;

it('a server ends when the process that started it and reads its log is killed', async () => {
  const args = ['--input-type=module', '-e', supervisor, entry];
  const parent = spawn(process.execPath, args, { env: environment(), stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void parent.kill('SIGKILL'));
  const [said] = await once(parent.stdout, 'data');
  const { pid, url } = JSON.parse(String(said)) as { pid: number; url: string };
  onTestFinished(() => void (isRunning(pid) && process.kill(pid, 'SIGKILL')));
  // The server collects lines for 100 ms, so some are not yet written when the parent ends.
  const asked = Array.from({ length: 50 }, () => fetch(`${url}/health`).catch(() => {}));
  await Promise.race(asked);
  parent.kill('SIGKILL');
  await eventually(() => expect(isRunning(pid)).toBe(false));
});
