import { writeFileSync } from 'node:fs';
import type { Reporter } from 'vitest/node';

/** What a run of the tests came to. */
export interface Counts {
  passed: number;
  failed: number;
  /** The full name of each test that did not run. */
  skipped: string[];
}

/**
 * Writes the counts of a run to the file that `TEST_COUNTS_FILE` names. A file of tests that cannot be loaded and an
 * error outside every test count as failed: vitest shows them, but counts them nowhere.
 */
export default class CountReporter implements Reporter {
  onTestRunEnd: NonNullable<Reporter['onTestRunEnd']> = (modules, unhandledErrors) => {
    const counts: Counts = { passed: 0, failed: unhandledErrors.length, skipped: [] };
    for (const module of modules) {
      counts.failed += module.errors().length;
      for (const suite of module.children.allSuites()) counts.failed += suite.errors().length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') counts.passed++;
        else if (state === 'skipped') counts.skipped.push(`${module.relativeModuleId} > ${test.fullName}`);
        else counts.failed++;
      }
    }
    const file = process.env.TEST_COUNTS_FILE;
    if (file) writeFileSync(file, JSON.stringify(counts));
  };
}
