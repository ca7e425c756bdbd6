import type { LeaseState } from '../contracts/index.ts';
import type { InternalClient } from './internal-client.ts';

/**
 * How long uses of sessions are gathered before they are reported. Short compared to a quarter of the usual TTL, 75 s, after which a use
 * is worth a report. One request for all of them costs nothing.
 */
export const reportSessionUsesEveryMs = 2_000;
/** Sessions whose uses are kept, some 2 MB. A use beyond that is noted when its session is used again. */
const keptUses = 20_000;
/** Maximum uses in one report: at some 55 bytes each, half of the 64 KiB that a body may have. */
const usesAtATime = 500;

/** Lease id → wall clock of the latest use, in milliseconds since 1970. */
type Uses = ReadonlyMap<string, number>;

/** The uses of sessions in this process, gathered in memory until they are reported to the lease service. */
export interface SessionUses {
  /**
   * Notes a use that was served. It never waits and never throws. A use that would not extend the session yet is ignored.
   *
   * @param lease state by which the use was decided
   * @param usedAt milliseconds since 1970
   */
  readonly noteUse: (leaseId: string, lease: LeaseState, usedAt: number) => void;
  /** Reports the uses. Never rejects: uses that could not be reported are kept for the next time. */
  flush(): Promise<void>;
}

interface SessionUsesOptions {
  /** Rejects where the uses may not have been written. */
  report: (uses: Uses) => Promise<unknown>;
  onFault: (error: unknown) => void;
  /** Called for each session whose use was reported: its state has changed. */
  onReported?: (leaseId: string) => void;
}

export function createSessionUses({
  report,
  onFault,
  onReported = () => {},
}: SessionUsesOptions): SessionUses {
  let latest = new Map<string, number>();
  let flushing: Promise<void> | null = null;

  function keep(leaseId: string, usedAt: number): void {
    const known = latest.get(leaseId);
    if (known === undefined && latest.size >= keptUses) return;
    latest.set(leaseId, Math.max(usedAt, known ?? 0));
  }

  async function reportAll(): Promise<void> {
    const uses = [...latest];
    latest = new Map();
    for (let from = 0; from < uses.length; from += usesAtATime) {
      const part = uses.slice(from, from + usesAtATime);
      try {
        await report(new Map(part));
      } catch (error) {
        for (const [leaseId, usedAt] of uses.slice(from)) keep(leaseId, usedAt);
        onFault(error);
        return;
      }
      for (const [leaseId] of part) onReported(leaseId);
    }
  }

  return {
    noteUse(leaseId, { session }, usedAt) {
      if (session && usedAt >= session.extendFrom) keep(leaseId, usedAt);
    },
    async flush() {
      // Uses that are noted during a flush are not part of it, so a second caller waits and flushes again.
      while (flushing) await flushing;
      if (latest.size === 0) return;
      flushing = reportAll().finally(() => {
        flushing = null;
      });
      await flushing;
    },
  };
}

export const sessionUsesPath = '/internal/session-uses';

/** Reports uses to the lease service over HTTP. */
export function reportSessionUses(leases: InternalClient): (uses: Uses) => Promise<void> {
  return (uses) => leases.post(sessionUsesPath, { uses: Object.fromEntries(uses) }, () => undefined);
}
