import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Counts } from './count-reporter.ts';
import { runCommand } from './run-command.ts';

/**
 * Runs the tests of a repository, this one or another release's, and shows them as vitest does.
 *
 * @param root the folder of the repository
 * @param args for vitest: paths, `-t`, and so on
 * @returns what it came to, and vitest's exit code
 */
export async function runVitest(
  root: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ counts: Counts; code: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-tests-'));
  try {
    const file = join(folder, 'counts.json');
    const reporters = ['--reporter=default', `--reporter=${join(import.meta.dirname, 'count-reporter.ts')}`];
    const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
    const command = [vitest, 'run', '--root', root, ...reporters, ...args];
    const code = await runCommand(process.execPath, command, { ...env, TEST_COUNTS_FILE: file });
    const counts: Counts = existsSync(file)
      ? JSON.parse(readFileSync(file, 'utf8'))
      : { passed: 0, failed: 0, skipped: [] };
    return { counts, code };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
