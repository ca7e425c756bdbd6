import type { Clock } from '../clock/clock.ts';
import type { Change } from '../events/index.ts';
import { DurationCounts } from './duration-counts.ts';
import type {
  AppliedChange,
  ConfigurationWarning,
  ProcessReport,
  ProcessSettings,
  RefusedRequest,
} from './process-report.ts';
import { RefusedRequests } from './refused-requests.ts';
import { RequestCounts, type RequestKind } from './request-counts.ts';
import { type Step, StepRing } from './step-ring.ts';

/** As many as a page shows, and some more for replicas that received different ones. */
const changesKept = 50;

/** Changes whose repetition is recognised: as many as pushes that may wait for the feed (`feed-progress.ts`). */
const numbersKept = 1_000;

/** Whether a lease ended without management: its player returned it, or a newer one of its viewer took its place. */
function isOwnEnd(change: Change): boolean {
  return change.kind === 'leases' && change.leaseId !== null && change.viewerId === null;
}

/** Player reports of one step. */
class PlayerCounts {
  reports = 0;
  stalls = 0;
  readonly firstFrames = new DurationCounts();
}

/**
 * The last hour of one process, in some hundred KB of memory and nowhere else: a restart begins it again. Each process has
 * its own; the caller that shows them adds them up.
 */
export class ProcessStatistics {
  readonly #clock: Clock;
  readonly #startedAt: number;
  readonly #requests: Record<Exclude<RequestKind, 'probe'>, StepRing<RequestCounts>>;
  readonly #players: StepRing<PlayerCounts>;
  readonly #activeLeases: StepRing<{ count: number | null }>;
  /** The latest changes, apart from what players end themselves. */
  readonly #changes: AppliedChange[] = [];
  /** Changes of players alone. They are counted and not kept: thousands an hour would push out what admins did. */
  readonly #ended: StepRing<{ count: number }>;
  /** A change is received by push and by pull, in either order. */
  readonly #numbers = new Set<number>();
  readonly #refused = new RefusedRequests();
  readonly #refusedCodes: StepRing<Map<string, number>>;
  /** The release that this process runs. */
  readonly version: string;
  /**
   * How long ago the change feed was known to have been read to its end (null: not yet), and the age from which states are unknown.
   * Null if the process does not follow the feed.
   */
  feed: { ageMs(): number | null; limitMs: number } | null = null;
  /** Doubtful settings of this process; filled at start. */
  warnings: () => ConfigurationWarning[] = () => [];
  /** Its variables without what is secret; filled at start. */
  variables: () => ProcessSettings['variables'] = () => [];
  /** Of the master keys that it holds; empty if it derives no keys. */
  fingerprints: () => ReadonlyMap<number, string> = () => new Map();
  /** How long ago it read its key set, the oldest of several; null without one. */
  keySetAgeMs: () => number | null = () => null;

  /** @param version left out in tests */
  constructor(clock: Clock, version = 'unknown') {
    this.#clock = clock;
    this.version = version;
    this.#startedAt = clock.now();
    const create = () => new RequestCounts();
    this.#requests = {
      key: new StepRing(clock, create),
      lease: new StepRing(clock, create),
      other: new StepRing(clock, create),
    };
    this.#ended = new StepRing(clock, () => ({ count: 0 }));
    this.#refusedCodes = new StepRing(clock, () => new Map());
    this.#players = new StepRing(clock, () => new PlayerCounts());
    this.#activeLeases = new StepRing(clock, () => ({ count: null }));
  }

  countRequest(kind: RequestKind, status: number, seconds: number): void {
    if (kind !== 'probe') this.#requests[kind].current().add(status, seconds * 1_000);
  }

  /** @param firstFrameMs null where the player has shown no frame */
  countPlayerReport(firstFrameMs: number | null, stalls: number): void {
    const counts = this.#players.current();
    counts.reports++;
    counts.stalls += stalls;
    if (firstFrameMs !== null) counts.firstFrames.add(firstFrameMs);
  }

  noteActiveLeases(count: number): void {
    this.#activeLeases.current().count = count;
  }

  /**
   * A change that is received twice counts as applied the first time. A lost push is followed by later ones, so the order of numbers says
   * nothing.
   *
   * @param at the time of the change's row
   * @returns milliseconds from then until now; null if the change was noted before
   */
  noteChange(number: number, at: number, change: Change): number | null {
    if (this.#numbers.has(number)) return null;
    this.#numbers.add(number);
    const [oldest = number] = this.#numbers;
    if (this.#numbers.size > numbersKept) this.#numbers.delete(oldest);
    const delayMs = Math.max(0, this.#clock.now() - at);
    if (isOwnEnd(change)) this.#ended.current().count++;
    else this.#keepChange(number, at, change, delayMs);
    return delayMs;
  }

  #keepChange(number: number, at: number, change: Change, delayMs: number): void {
    const { kind } = change;
    if (this.#changes.some((kept) => kept.number === number)) return;
    this.#changes.push({
      ...{ number, at, delayMs, kind },
      leaseId: kind === 'leases' ? change.leaseId : null,
      viewerId: kind === 'leases' ? change.viewerId : null,
      // The hash of an API key is left out: only the caches need it.
      contentId: kind === 'api-key' ? null : change.contentId,
    });
    if (this.#changes.length > changesKept) this.#changes.shift();
  }

  /** The numbers of changes begin anew. */
  forgetNumbers(): void {
    this.#numbers.clear();
  }

  /** A request for a key or a lease was refused now. */
  noteRefusal(refused: Omit<RefusedRequest, 'at'>): void {
    this.#refused.note({ at: this.#clock.now(), ...refused });
    const { status, code } = refused;
    if (status < 400 || status >= 500) return;
    const codes = this.#refusedCodes.current();
    codes.set(code, (codes.get(code) ?? 0) + 1);
  }

  /**
   * @param since milliseconds since 1970: steps that began earlier are left out
   * @param refusals how many of the latest refusals are in it
   * @param settings whether its settings are in it
   */
  report(since: number, refusals = 0, settings = false): ProcessReport {
    return {
      startedAt: this.#startedAt,
      now: this.#clock.now(),
      version: this.version,
      ...(this.feed && { feed: { ageMs: this.feed.ageMs(), limitMs: this.feed.limitMs } }),
      keyRequests: this.#requests.key.since(since).map(toRequestStep),
      leaseRequests: this.#requests.lease.since(since).map(toRequestStep),
      otherRequests: this.#requests.other.since(since).map(toRequestStep),
      playerReports: this.#players.since(since).map(({ at, value: { reports, stalls, firstFrames } }) => ({
        at,
        reports,
        stalls,
        firstFrames: firstFrames.sparse(),
      })),
      activeLeases: this.#activeLeases
        .since(since)
        .flatMap(({ at, value: { count } }) => (count === null ? [] : [{ at, count }])),
      changes: [...this.#changes],
      endedLeases: this.#ended.since(since).map(({ at, value: { count } }) => ({ at, count })),
      refusedCodes: addUp(this.#refusedCodes.since(since).map(({ value }) => value)),
      warnings: this.warnings(),
      ...(refusals > 0 && { refusals: this.#refused.latest(refusals) }),
      ...(settings && { settings: this.#settings() }),
    };
  }

  #settings(): ProcessSettings {
    const masterKeys = [...this.fingerprints()].map(([version, fingerprint]) => ({ version, fingerprint }));
    return { variables: this.variables(), masterKeys, keySetAgeMs: this.keySetAgeMs() };
  }
}

/** The codes with the most refusals first. */
function addUp(steps: readonly ReadonlyMap<string, number>[]): { code: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const step of steps)
    for (const [code, count] of step) counts.set(code, (counts.get(code) ?? 0) + count);
  return [...counts].map(([code, count]) => ({ code, count })).sort((a, b) => b.count - a.count);
}

function toRequestStep({ at, value }: Step<RequestCounts>) {
  const { count, clientErrors, serverErrors, durations } = value;
  return { at, count, clientErrors, serverErrors, durations: durations.sparse() };
}
