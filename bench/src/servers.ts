import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '@latchkey/rig/find-free-port';
import { viewerToken } from '@latchkey/rig/tokens';

/** A server under load. */
export interface Subject {
  name: string;
  url: string;
  headers: Record<string, string>;
  pid: number;
  /** When it was started, on the clock of `performance.now`. */
  startedAtMs: number;
  stop(): Promise<void>;
}

export const adminKey = `lk_${'b'.repeat(64)}`;
export const tokenSecret = 'the secret of a measurement, 32 octets or more';
const startLimitMs = 20_000;
const lookEveryMs = 10;

/** Starts a file of the workspace as a process on a free port, and waits until it answers. */
export async function startServer(name: string, file: string, env: Record<string, string>): Promise<Subject> {
  const port = await findFreePort();
  const path = fileURLToPath(new URL(file, import.meta.url));
  const startedAtMs = performance.now();
  const child = spawn(process.execPath, [path], {
    // Its request log is written and read like a collector would, and thrown away here. Through the open channel it learns
    // that this process is gone, and ends too.
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: {
      ...process.env,
      NODE_ENV: 'test',
      LOG_LEVEL: 'info',
      ...env,
      HOST: '127.0.0.1',
      PORT: String(port),
    },
  });
  child.stdout?.resume();
  child.channel?.unref();
  const url = `http://127.0.0.1:${port}`;
  await answers(`${url}/health`, child);
  return { name, url, headers: {}, pid: child.pid ?? 0, startedAtMs, stop: () => stop(child) };
}

async function answers(url: string, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + startLimitMs;
  while (performance.now() < deadline && child.exitCode === null) {
    try {
      if ((await fetch(url)).ok) return;
    } catch {
      await pause(lookEveryMs);
    }
  }
  throw new Error(`${url} did not answer within ${startLimitMs} ms`);
}

/**
 * Waits until a server is ready.
 *
 * @throws Error where it is not in time
 */
export async function becomesReady(url: string): Promise<void> {
  const deadline = performance.now() + startLimitMs;
  while (!(await fetch(`${url}/ready`)).ok) {
    if (performance.now() > deadline) throw new Error(`${url} was not ready within ${startLimitMs} ms`);
    await pause(lookEveryMs);
  }
}

function stop(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}

/** A token that both profiles accept. */
export function measuringToken(): string {
  return viewerToken(tokenSecret, 'viewer-of-the-measurement');
}

/** Asks with a credential. */
export async function call(
  base: string,
  method: string,
  path: string,
  credential: string,
  body: unknown,
): Promise<unknown> {
  const response = await fetch(base + path, {
    method,
    headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json();
}
