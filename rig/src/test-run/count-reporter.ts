import { writeFileSync } from 'node:fs';
import type { Reporter } from 'vitest/node';

/** What a run of the tests came to. */
export interface Counts {
  passed: number;
  failed: number;
  /** The full name of each test that did not run. */
  skipped: string[];
}

/** The same for one file, as a path from the root that vitest was given. */
interface FileCounts extends Counts {
  file: string;
}

/** What the reporter writes. */
export interface CountedRun {
  files: FileCounts[];
  /** Errors outside every file. */
  errors: number;
}

/**
 * Writes the counts of a run to the file that `TEST_COUNTS_FILE` names. A file of tests that cannot be loaded and an
 * error outside every test count as failed: vitest shows them, but counts them nowhere.
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
