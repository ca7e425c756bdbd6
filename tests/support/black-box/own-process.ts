import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { findApiDocument } from './api-document.ts';
import { createClient } from './client.ts';
import { type Environment, makeFolder, type ServerProcess, startProcess } from './server-process.ts';
import { makeApiKey, masterKeyHex, saltHex, type Target } from './target.ts';

/** A folder that is removed after the test. */
export function makeTestFolder(): string {
  const folder = makeFolder();
  onTestFinished(() => folder.remove());
  return folder.path;
}

/** Free ports on loopback, so that a server can start anywhere. */
export const freePorts = { PORT: '0', HOST: '127.0.0.1', METRICS_PORT: '0', SHUTDOWN_DRAIN_SECONDS: '0' };

/** All that a server needs: ports and secrets. */
export const complete = {
  ...freePorts,
  MASTER_KEY_HEX: masterKeyHex,
  SALT_HEX: saltHex,
  AUTH_JWT_SECRET: 'f'.repeat(64),
};

/** Starts a server, which is killed after the test if it still runs. Its database is `latchkey.db` in the folder. */
export function startInTest(folder: string, env: Environment): ServerProcess {
  const process = startProcess(folder, { SQLITE_PATH: join(folder, 'latchkey.db'), ...env });
  onTestFinished(() => endProcess(process, 'SIGKILL'));
  return process;
}

/** Starts a server that should end by itself. @returns its exit code and its output */
export async function runToEnd(
  folder: string,
  env: Environment,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const process = startInTest(folder, env);
  // A server that starts nevertheless would never end.
  process.listens().then(
    () => process.kill('SIGKILL'),
    () => {},
  );
  const { code } = await process.ended();
  return { code, stdout: process.stdout(), stderr: process.stderr() };
}

export const ownAdminKey = makeApiKey();

/** Opens a server that starts with `complete`, `ownAdminKey` and these variables. */
export async function openProcess(
  server: ServerProcess,
  env: Environment = {},
): Promise<{ server: ServerProcess; target: Target }> {
  const url = await server.listens();
  const target = {
    url,
    adminApiKey: ownAdminKey,
    jwtSecret: Buffer.from(complete.AUTH_JWT_SECRET),
    propagationMs: 0,
    client: createClient(url, await findApiDocument(url, env)),
  };
  return { server, target };
}

/** As `startInTest`, with all that a server needs, and opens it. */
export const openInTest = (folder: string, env: Environment = {}) =>
  openProcess(startInTest(folder, { ...complete, ADMIN_API_KEY: ownAdminKey, ...env }), env);

export async function endProcess(server: ServerProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  server.kill(signal);
  await server.ended();
}
