import type { Change } from '../events/index.ts';

/** As many as a page shows, and some more for replicas that received different ones. */
const changesKept = 50;

/** A change of authority that this process has applied. */
export interface AppliedChange {
  /** Its number in the change feed. */
  number: number;
  /** The time of its row, milliseconds since 1970, by the clock of the machine that wrote it. */
  at: number;
  /** Milliseconds from the time of its row until it was applied here. As exact as the two clocks. */
  delayMs: number;
  kind: Change['kind'];
  leaseId: string | null;
  viewerId: string | null;
  contentId: string | null;
}

/** The latest changes that this process has applied. */
export class AppliedChanges {
  #kept: AppliedChange[] = [];

  /** A change that is received twice counts as applied the first time. */
  note(number: number, at: number, change: Change, now: number): void {
    if (this.#kept.some((kept) => kept.number === number)) return;
    const { kind } = change;
    this.#kept.push({
      number,
      at,
      delayMs: Math.max(0, now - at),
      kind,
      leaseId: kind === 'leases' ? change.leaseId : null,
      viewerId: kind === 'leases' ? change.viewerId : null,
      // The hash of an API key is left out: only the caches need it.
      contentId: kind === 'api-key' ? null : change.contentId,
    });
    if (this.#kept.length > changesKept) this.#kept.shift();
  }

  latest(): readonly AppliedChange[] {
    return this.#kept;
  }
}
