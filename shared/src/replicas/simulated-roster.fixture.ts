import { type AwaitedPlace, authorityLimitMs, type FollowerReport, listedForMs } from '../events/index.ts';

interface Row extends FollowerReport {
  listedAtMs: number;
  suspectSinceMs: number | null;
}

/** The list of followers, in the database of the simulation: as `feed-roster.ts` keeps it. */
export class SimulatedRoster {
  #rows = new Map<string, Row>();
  /** The highest number that somebody waits for. */
  awaited = 0;

  list(): Row[] {
    return [...this.#rows.values()];
  }

  /** A process pulls. */
  admit(process: string, place: AwaitedPlace | null, nowMs: number): void {
    const found = this.#rows.get(process);
    const row = found ?? {
      ...{ process, limitMs: authorityLimitMs, history: null, applied: 0 },
      listedAtMs: nowMs,
      suspectSinceMs: null,
    };
    row.suspectSinceMs = null;
    if (place && this.awaited > 0) {
      row.history = place.history;
      row.applied = place.number;
    }
    this.#rows.set(process, row);
  }

  suspect(processes: Iterable<string>, nowMs: number): void {
    for (const process of processes) {
      const row = this.#rows.get(process);
      if (row) row.suspectSinceMs ??= nowMs;
    }
  }

  sweep(nowMs: number): void {
    for (const row of this.#rows.values()) {
      if (row.suspectSinceMs !== null && nowMs - row.suspectSinceMs > 2 * listedForMs)
        this.#rows.delete(row.process);
    }
  }

  /** A failover that has lost the last acts has lost what was written after the last act that is left. */
  loseSince(ms: number): void {
    for (const row of this.list()) if (row.listedAtMs > ms) this.#rows.delete(row.process);
  }
}
