import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryFolder } from '../repository.ts';
import { compileCache, type Environment, inheritedFlags } from './spawn-entry.ts';

/**
 * Runs a command of `latchkey` to its end.
 *
 * @param env in addition to PATH and HOME
 * @param code the repository whose command runs: this one, or another release's
 * @returns its standard output
 * @throws Error with its standard error, if it fails
 */
export async function runCli(
  args: readonly string[],
  env: Environment,
  code = repositoryFolder,
): Promise<string> {
  const { PATH, HOME } = process.env;
  const command = [...inheritedFlags, join(code, 'cli/src/main.ts'), ...args];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, command, {
      cwd: code,
      env: { PATH, HOME, NODE_COMPILE_CACHE: compileCache, ...env },
    });
    return stdout.trim();
  } catch (cause) {
    const { code: exitCode, stderr } = cause as { code?: number; stderr?: string };
    throw new Error(`latchkey ${args.join(' ')} of ${code} ended with ${exitCode}: ${stderr}`, { cause });
  }
}
