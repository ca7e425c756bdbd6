import type { Clock } from '@latchkey/shared/clock';
import type { Database } from '@latchkey/shared/db';
import { purgeChanges } from '@latchkey/shared/events';
import { LeaseStore } from './lease-store.ts';
import { MarkStore } from './mark-store.ts';

const hourMs = 3_600_000;
/** A lease that has ended can be looked up for a day: long enough for the support case of last night. */
const keptLeaseMs = 24 * hourMs;
/** A follower of the change feed that was away for longer forgets everything and starts anew, which is as right. */
const keptChangeMs = hourMs;
/** Some milliseconds of work on either database, so that nobody waits behind it. */
const rowsPerStatement = 1_000;
/** What one run leaves, the next removes: with a run a minute, more than leases can end in the long run. */
const statementsPerRun = 10;

export interface LeasePurgeOptions {
  db: Database;
  clock: Clock;
  renewGraceSeconds: number;
  /** `AUTH_JWT_MAX_AGE_SECONDS`: no token that is accepted is older, so no older mark can refuse one. */
  tokenMaxAgeSeconds: number;
  /**
   * `AUTH_JWT_CLOCK_TOLERANCE_SECONDS`. It counts twice: a mark holds for tokens issued up to so long after it, and a
   * replica whose clock is behind by as much accepts them for longer.
   */
  clockToleranceSeconds: number;
}

/** How many rows a run removed. */
export interface Purged {
  leases: number;
  marks: number;
  changes: number;
}

/**
 * Removes what no decision can rest on any more, a bounded number of rows at a time. Nothing depends on when it runs:
 * leases expire by comparison.
 */
export function createLeasePurge(options: LeasePurgeOptions): { run(): Promise<Purged> } {
  const { db, clock } = options;
  const leases = new LeaseStore(db);
  const marks = new MarkStore(db);
  return {
    async run() {
      const now = clock.now();
      const revokedBefore = now - keptLeaseMs;
      const expiredBefore = revokedBefore - options.renewGraceSeconds * 1_000;
      const markedBefore = now - (options.tokenMaxAgeSeconds + 2 * options.clockToleranceSeconds) * 1_000;
      return {
        leases: await inBatches((limit) => leases.purge({ expiredBefore, revokedBefore }, limit)),
        marks: await inBatches((limit) => marks.purge(markedBefore, limit)),
        changes: await inBatches(() => purgeChanges(db, now - keptChangeMs)),
      };
    },
  };
}

async function inBatches(removeSome: (limit: number) => Promise<number>): Promise<number> {
  let removed = 0;
  for (let statement = 0; statement < statementsPerRun; statement++) {
    const count = await removeSome(rowsPerStatement);
    removed += count;
    if (count < rowsPerStatement) break;
  }
  return removed;
}
