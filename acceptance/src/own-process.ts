import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Environment, makeFolder, type ServerProcess, startProcess } from './server-process.ts';
import { masterKeyHex, saltHex } from './target.ts';

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
  onTestFinished(async () => {
    process.kill('SIGKILL');
    await process.ended();
  });
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
