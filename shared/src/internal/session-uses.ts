import type { LeaseState } from '../contracts/index.ts';
import { gatherUses, type Uses } from './gather-uses.ts';
import type { InternalClient } from './internal-client.ts';

/**
 * How long uses of sessions are gathered before they are reported. Short compared to a quarter of the usual TTL, 75 s, after which a use
 * is worth a report. One request for all of them costs nothing.
 */
export const reportSessionUsesEveryMs = 2_000;

/** The uses of sessions in this process, by lease id, gathered in memory until they are reported to the lease service. */
export type SessionUses = ReturnType<typeof createSessionUses>;

interface SessionUsesOptions {
  /** Rejects where the uses may not have been written. */
  report: (uses: Uses) => Promise<unknown>;
  onFault: (error: unknown) => void;
  /** Called for each session whose use was reported: its state has changed. */
  onReported?: (leaseId: string) => void;
}

export function createSessionUses({ report, onFault, onReported = () => {} }: SessionUsesOptions) {
  const { note, flush } = gatherUses(async (uses) => {
    await report(uses);
    for (const leaseId of uses.keys()) onReported(leaseId);
  }, onFault);
  return {
    /**
     * Notes a use that was served. It never waits and never throws. A use that would not extend the session yet is ignored.
     *
     * @param lease state by which the use was decided
     * @param usedAt milliseconds since 1970
     */
    noteUse(leaseId: string, { session }: LeaseState, usedAt: number): void {
      if (session && usedAt >= session.extendFrom) note(leaseId, usedAt);
    },
    flush,
  };
}

export const sessionUsesPath = '/internal/session-uses';

/** Reports uses to the lease service over HTTP. */
export function reportSessionUses(leases: InternalClient): (uses: Uses) => Promise<void> {
  return (uses) => leases.post(sessionUsesPath, { uses: Object.fromEntries(uses) }, () => undefined);
}
