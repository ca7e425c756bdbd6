import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { compileCache } from '@latchkey/support/processes/spawn-entry';
import { repositoryFolder } from '@latchkey/support/repository';

/** Runs a command of `latchkey` to its end, for tests of how it ends. */
export function runToExit(
  args: readonly string[],
  apiKey?: string,
): Promise<{ exitCode: number; stdout: string; stderr: string }> {
  const key = apiKey === undefined ? {} : { LATCHKEY_API_KEY: apiKey };
  const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: compileCache, ...key };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [join(repositoryFolder, 'cli/src/main.ts'), ...args],
      { env },
      (error, stdout, stderr) => resolve({ exitCode: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}
