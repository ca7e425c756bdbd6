import type { Counts } from '@latchkey/support/test-run/count-reporter';

/** The results of a run. */
export interface Tally {
  counts: Counts;
  /** One condition that must hold, reported on standard output. */
  check(name: string, ok: boolean, detail?: string): void;
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
    skip(name, reason) {
      counts.skipped.push(`${name} (${reason})`);
    },
  };
}
