import type { Counts } from '../test-run/count-reporter.ts';

/** The results of a run of several parts. */
export interface Tally {
  counts: Counts;
  /** One condition that must hold, reported on standard output. */
  check(name: string, ok: boolean, detail?: string): void;
  /** The tests of one part. */
  add(part: string, counts: Counts, code: number): void;
  skip(name: string, reason: string): void;
}

export function createTally(say: (line: string) => void): Tally {
  const counts: Counts = { passed: 0, failed: 0, skipped: [] };
  return {
    counts,
    check(name, ok, detail = '') {
      if (ok) counts.passed++;
      else counts.failed++;
      say(`${ok ? '✓' : '✗'} ${name}${detail && `: ${detail}`}`);
    },
    add(part, { passed, failed, skipped }, code) {
      counts.passed += passed;
      // No test failed, but vitest did: it could not start, or found no tests.
      const failures = failed === 0 && (code !== 0 || passed === 0) ? 1 : failed;
      counts.failed += failures;
      counts.skipped.push(...skipped.map((name) => `${part} > ${name}`));
      say(`${failures === 0 ? '✓' : '✗'} ${part}: ${passed} tests passed, ${failures} failed`);
    },
    skip(name, reason) {
      counts.skipped.push(`${name} (${reason})`);
    },
  };
}
