import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileCache, singleThreadedGc } from '../processes/spawn-entry.ts';
import { runCommand } from '../run-command.ts';
import { type CountedRun, type Counts, sumCounts } from './count-reporter.ts';

export interface VitestRun extends CountedRun {
  counts: Counts;
  /** Vitest's exit code. */
  code: number;
}

/**
 * Runs the tests of this repository or of another release's, and shows them as vitest does.
 *
 * @param root the folder of the repository
 * @param args for vitest: paths, `-t`, and so on
 * @returns the counts, in total and by file, and vitest's exit code
 */
export async function runVitest(
  root: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<VitestRun> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-tests-'));
  try {
    const file = join(folder, 'counts.json');
    const reporters = ['--reporter=default', `--reporter=${join(import.meta.dirname, 'count-reporter.ts')}`];
    const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
    const flags = ['--root', root, ...reporters, `--execArgv=${singleThreadedGc}`];
    const command = [singleThreadedGc, vitest, 'run', ...flags, ...args];
    const code = await runCommand(process.execPath, command, {
      ...env,
      TEST_COUNTS_FILE: file,
      NODE_COMPILE_CACHE: compileCache,
    });
    const run: CountedRun = existsSync(file)
      ? JSON.parse(readFileSync(file, 'utf8'))
      : { files: [], errors: 0 };
    return { ...run, counts: sumCounts(run), code };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
