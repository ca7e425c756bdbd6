import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findFreePort } from '@latchkey/support/find-free-port';
import { createLatchkeyProcess } from '@latchkey/support/processes/latchkey-process';
import type { Environment } from '@latchkey/support/processes/spawn-entry';
import { singleNodeEntry } from '@latchkey/support/stack/topology';
import { singleNodeFlags } from '../../tools/single-node-command.mjs';

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
export const tokenSecret = 'the secret of a measurement, 32 bytes or more';
const startLimitMs = 20_000;
const lookEveryMs = 10;

/**
 * Starts a file of this repository as a process on a free port, and waits until it answers.
 *
 * @param entry from the root of the repository
 * @param flags of Node
 */
export async function startServer(
  name: string,
  entry: string,
  env: Environment,
  flags: readonly string[] = [],
): Promise<Subject> {
  const server = createLatchkeyProcess({
    name,
    entry,
    flags,
    port: await findFreePort(),
    // Starts are measured, and a container keeps no compiled code.
    env: {
      ...process.env,
      ...profiling(name),
      NODE_COMPILE_CACHE: undefined,
      NODE_ENV: 'test',
      LOG_LEVEL: 'info',
      ...env,
    },
    output: 'drain',
    everyMs: lookEveryMs,
  });
  const startedAtMs = performance.now();
  server.start();
  await server.waitHealthy();
  const stop = async () => void (await server.end('SIGTERM'));
  return { name, url: server.url, headers: {}, pid: server.pid(), startedAtMs, stop };
}

/** `BENCH_CPU_PROF=FOLDER` leaves a profile of each server there, which `print-profile.ts` shows. Profiling takes time of its own. */
function profiling(name: string): Environment {
  const folder = process.env.BENCH_CPU_PROF;
  if (!folder) return {};
  // A folder for each, because each thread leaves a file: `CPU.<time>.<process>.<thread>.<number>.cpuprofile`.
  const own = join(folder, name.replace(/\W+/g, '-'));
  return { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${own}` };
}

/**
 * Starts the single node on a database, with fixed secrets and the flags of `npm start`.
 *
 * @param database SQLITE_PATH or DATABASE_URL
 * @param further settings
 */
export function startSingleNode(
  database: Environment,
  name = 'Latchkey',
  further: Environment = {},
): Promise<Subject> {
  const env = {
    MASTER_KEY_HEX: '1'.repeat(64),
    SALT_HEX: '2'.repeat(64),
    ...database,
    ...further,
    ADMIN_API_KEY: adminKey,
    AUTH_JWT_SECRET: tokenSecret,
    METRICS_PORT: '0',
    SHUTDOWN_DRAIN_SECONDS: '0',
  };
  return startServer(name, singleNodeEntry, env, singleNodeFlags);
}

/**
 * Waits until a server is ready.
 *
 * @throws Error if it is not ready in time
 */
export async function becomesReady(url: string): Promise<void> {
  const deadline = performance.now() + startLimitMs;
  while (!(await fetch(`${url}/ready`)).ok) {
    if (performance.now() > deadline) throw new Error(`${url} was not ready within ${startLimitMs} ms`);
    await pause(lookEveryMs);
  }
}

/**
 * Sends one request with a credential.
 *
 * @throws Error if the answer is not a success
 */
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
