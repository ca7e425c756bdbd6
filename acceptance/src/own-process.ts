import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Environment, makeFolder, type ServerProcess, startProcess } from './server-process.ts';
import { masterKeyHex, saltHex } from './target.ts';

/** A folder that is gone when the test is over. */
export function makeTestFolder(): string {
  const folder = makeFolder();
  onTestFinished(() => folder.remove());
  return folder.path;
}

/** What lets a server start anywhere: free ports, on loopback. */
export const freePorts = { PORT: '0', HOST: '127.0.0.1', METRICS_PORT: '0', SHUTDOWN_DRAIN_SECONDS: '0' };

/** Beside the ports, what a server needs so that nothing is missing. */
export const complete = {
  ...freePorts,
  MASTER_KEY_HEX: masterKeyHex,
  SALT_HEX: saltHex,
  AUTH_JWT_SECRET: 'f'.repeat(64),
};

/** Starts a server that is ended, if it still runs, when the test is over. The database is `latchkey.db` in the folder. */
export function startInTest(folder: string, env: Environment): ServerProcess {
  const process = startProcess(folder, { SQLITE_PATH: join(folder, 'latchkey.db'), ...env });
  onTestFinished(async () => {
    process.kill('SIGKILL');
    await process.ended();
  });
  return process;
}

/** Starts a server that is expected to end by itself: how it did, and what it wrote. */
export async function runToEnd(
  folder: string,
  env: Environment,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const process = startInTest(folder, env);
  // One that starts after all would never end.
  process.listens().then(
    () => process.kill('SIGKILL'),
    () => {},
  );
  const { code } = await process.ended();
  return { code, stdout: process.stdout(), stderr: process.stderr() };
}
