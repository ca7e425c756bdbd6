import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryFolder } from '../repository.ts';
import type { Environment } from './spawn-entry.ts';

/**
 * Runs a command of `latchkey` to its end.
 *
 * @param env beside PATH and HOME
 * @param code the repository whose command is run: this one, or that of another release
 * @returns what it wrote to standard output
 * @throws Error with what it wrote to standard error, where it fails
 */
export async function runCli(
  args: readonly string[],
  env: Environment,
  code = repositoryFolder,
): Promise<string> {
  const { PATH, HOME } = process.env;
  const command = [join(code, 'cli/src/main.ts'), ...args];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, command, {
      cwd: code,
      env: { PATH, HOME, ...env },
    });
    return stdout.trim();
  } catch (cause) {
    const { code: exitCode, stderr } = cause as { code?: number; stderr?: string };
    throw new Error(`latchkey ${args.join(' ')} of ${code} ended with ${exitCode}: ${stderr}`, { cause });
  }
}
