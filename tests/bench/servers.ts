import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '@latchkey/support/find-free-port';
import { createLatchkeyProcess, type LatchkeyProcess } from '@latchkey/support/processes/latchkey-process';
import type { Environment } from '@latchkey/support/processes/spawn-entry';
import { startStack } from '@latchkey/support/stack/start-stack';
import { type ProcessKind, singleNodeEntry } from '@latchkey/support/stack/topology';
import { singleNodeFlags } from '../../tools/single-node-command.mjs';
import type { Cleanup } from './cleanup.ts';

/** A server under load. */
export interface Subject {
  name: string;
  url: string;
  pid: number;
  stop(): Promise<void>;
}

export const adminKey = `lk_${'b'.repeat(64)}`;
export const tokenSecret = 'the secret of a measurement, 32 bytes or more';
/** INTERNAL_SECRET, which a gateway sends with each request to a service. */
const internalSecret = 'a-secret-between-the-services-of-a-measurement';
export const gatewayHeaders = { 'x-latchkey-secret': internalSecret };
const secrets = { INTERNAL_SECRET: internalSecret, ADMIN_API_KEY: adminKey, AUTH_JWT_SECRET: tokenSecret };
/** Servers collect garbage as in production, with several threads. This process does not (`tools/run.mjs`), and would pass that on. */
const ownGc = '--no-single-threaded-gc';
const stopsAtOnce = { SHUTDOWN_DRAIN_SECONDS: '0' };

const toSubject = (server: LatchkeyProcess): Subject => ({
  name: server.name,
  url: server.url,
  pid: server.pid(),
  stop: async () => void (await server.end('SIGTERM')),
});

/**
 * Starts a file of this repository as a process on a free port, and waits until it answers.
 *
 * @param entry from the root of the repository
 * @param flags of Node
 */
export async function startServer(
  name: string,
  entry: string,
  env: Environment = {},
  flags: readonly string[] = [],
): Promise<Subject> {
  const port = await findFreePort();
  const server = createLatchkeyProcess({
    name,
    entry,
    flags: [ownGc, ...flags],
    port,
    env,
    output: 'drain',
  });
  server.start();
  await server.waitHealthy();
  return toSubject(server);
}

/** Starts the single node with fixed secrets and the flags of `npm start`. Default: on SQLite in a folder of its own. */
export async function startSingleNode(
  cleanup: Cleanup,
  name = 'single node',
  settings: Environment = {},
): Promise<Subject> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-'));
  cleanup.add({ stop: () => rmSync(folder, { recursive: true }) });
  const env = {
    ...secrets,
    ...stopsAtOnce,
    MASTER_KEY_HEX: '1'.repeat(64),
    SALT_HEX: '2'.repeat(64),
    LOG_LEVEL: 'info',
    SQLITE_PATH: join(folder, 'latchkey.db'),
    ...settings,
  };
  return cleanup.add(await startServer(name, singleNodeEntry, env, singleNodeFlags));
}

/**
 * Starts a process of each service, a gateway and an edge process on an empty Postgres, and waits until they are ready.
 *
 * @param keyFlags of Node, for processes that derive keys
 */
export async function startServices(
  cleanup: Cleanup,
  postgresUrl: string,
  keyFlags = '',
): Promise<Record<Exclude<ProcessKind, 'playback'>, Subject>> {
  // The request log is a part of the cost of a request, and the process that faces the viewers writes it.
  const logs = { LOG_LEVEL: 'info' };
  const keys = { NODE_OPTIONS: keyFlags };
  const { processes, all } = await startStack({
    stores: { postgres: postgresUrl },
    secrets,
    replicas: { edge: 1, playback: 0 },
    settings: stopsAtOnce,
    settingsOf: { gateway: logs, edge: { ...logs, ...keys }, 'key-derivation': keys },
    flags: [ownGc],
    outputOf: () => 'drain',
  });
  for (const server of all) cleanup.add(toSubject(server));
  for (const server of all) await server.waitReady();
  const first = (kind: ProcessKind) => toSubject(processes[kind][0] as LatchkeyProcess);
  return {
    auth: first('auth'),
    content: first('content'),
    leases: first('leases'),
    'key-derivation': first('key-derivation'),
    gateway: first('gateway'),
    edge: first('edge'),
  };
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
