import { writeFileSync } from 'node:fs';
import type { Reporter } from 'vitest/node';

/** The counts of a test run. */
export interface Counts {
  passed: number;
  failed: number;
  /** The full name of each test that did not run. */
  skipped: string[];
}

/** The counts of one file, as a path relative to vitest's root. */
interface FileCounts extends Counts {
  file: string;
}

/** The reporter's output. */
export interface CountedRun {
  files: FileCounts[];
  /** Errors outside every file. */
  errors: number;
}

/**
 * Writes the counts of a run to the file that `TEST_COUNTS_FILE` names. A test file that cannot be loaded and an error
 * outside every test count as failed: vitest shows them, but does not count them.
 *
 * @public vitest loads it by its path
 */
export default class CountReporter implements Reporter {
  onTestRunEnd: NonNullable<Reporter['onTestRunEnd']> = (modules, unhandledErrors) => {
    const run: CountedRun = { files: [], errors: unhandledErrors.length };
    for (const module of modules) {
      const counts: FileCounts = {
        file: module.relativeModuleId,
        passed: 0,
        failed: module.errors().length,
        skipped: [],
      };
      for (const suite of module.children.allSuites()) counts.failed += suite.errors().length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') counts.passed++;
        else if (state === 'skipped') counts.skipped.push(`${counts.file} > ${test.fullName}`);
        else counts.failed++;
      }
      run.files.push(counts);
    }
    const file = process.env.TEST_COUNTS_FILE;
    if (file) writeFileSync(file, JSON.stringify(run));
  };
}

/** The counts of a whole run. */
export function sumCounts({ files, errors }: CountedRun): Counts {
  return {
    passed: files.reduce((sum, { passed }) => sum + passed, 0),
    failed: files.reduce((sum, { failed }) => sum + failed, errors),
    skipped: files.flatMap(({ skipped }) => skipped),
  };
}
