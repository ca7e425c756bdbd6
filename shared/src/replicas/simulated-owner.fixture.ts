import type { Authority } from '../authority/index.ts';
import { markKey } from '../authority/index.ts';
import type { ContentState, KeyPeriods, LeaseState, MarkState } from '../contracts/index.ts';
import type { Change, FeedLink, FeedPage } from '../events/index.ts';
import { createLeaseState } from '../testing/lease-state.ts';
import { SimulatedRoster } from './simulated-roster.fixture.ts';

export type Source = keyof Authority;

/** One state of authority that a replica may cache. Its version counts up with every change. */
export interface Item {
  source: Source;
  key: string;
}

const pairs = [
  ['v0', 'c0'],
  ['v0', 'c1'],
  ['v1', 'c0'],
] as const;

/** Three leases, the marks of their pairs, two contents and an API key: few, so that events often concern the same state. */
export const items: readonly Item[] = [
  ...pairs.map((_, i): Item => ({ source: 'leases', key: `l${i}` })),
  ...pairs.map(([viewerId, contentId]): Item => ({ source: 'marks', key: markKey(viewerId, contentId) })),
  { source: 'contents', key: 'c0' },
  { source: 'contents', key: 'c1' },
  { source: 'apiKeys', key: 'hash' },
];

const all = (viewerId: string | null, contentId: string | null) =>
  pairs.flatMap(([viewer, content], i) =>
    (viewerId ?? viewer) === viewer && (contentId ?? content) === content ? [i, pairs.length + i] : [],
  );
const revocation = (leaseId: string | null, viewerId: string | null, contentId: string | null): Change => ({
  kind: 'leases',
  leaseId,
  viewerId,
  contentId,
});

/** In the first minutes of the wall clock, so that clocks pass the end of some blocks. */
const blockEndsEveryMs = 10_000;

/** The state that a version of a mark is: a mark, a block without an end, or a block with an end and without a mark. */
export function markOf(version: number): MarkState | null {
  if (version === 0) return null;
  if (version % 4 === 2) return { markedAt: version, blockedUntil: null };
  return version % 4 === 3 ? { markedAt: null, blockedUntil: version * blockEndsEveryMs } : version;
}

/** Every act that changes authority: the states that it changes, and its change in the feed. */
const acts: readonly { touches: readonly number[]; change: Change }[] = [
  { touches: all('v0', 'c0'), change: revocation('l0', 'v0', 'c0') },
  { touches: all('v1', 'c0'), change: revocation('l2', 'v1', 'c0') },
  { touches: [1], change: revocation('l1', null, null) },
  { touches: all('v0', null), change: revocation(null, 'v0', null) },
  { touches: all(null, 'c0'), change: revocation(null, null, 'c0') },
  { touches: all('v0', 'c1'), change: revocation(null, 'v0', 'c1') },
  { touches: [6], change: { kind: 'content', contentId: 'c0' } },
  { touches: [7], change: { kind: 'content', contentId: 'c1' } },
  { touches: [8], change: { kind: 'api-key', keyHash: 'hash' } },
];
export const actCount = acts.length;
/** How long after its expiry a lease can be renewed. Small compared to the jumps of the clock. */
const graceMs = 2_000;

/** A committed act that is not answered yet. */
export interface Committed {
  number: number;
  at: number;
  link: FeedLink;
  change: Change;
  /** The changed items, each with its new version and the one before. */
  versions: readonly (readonly [item: number, version: number, before: number])[];
}

/** The key periods of each version of a content. */
export type KeyPeriodsOf = (contentId: string, version: number) => KeyPeriods | null;

/** The database: the current truth and its whole history. */
export class SimulatedOwner {
  readonly roster = new SimulatedRoster();
  /** For each item, when each of its versions ended; undefined for a version that has not. Versions are never reused. */
  readonly endedAt: (number | undefined)[][] = items.map(() => [undefined]);
  readonly leaseExpiresAt: number[] = pairs.map(() => 10_000);
  /** For each item, its present version. */
  readonly #present: number[] = items.map(() => 0);
  /** Every act that was committed and not lost, in order. */
  #committed: Committed[] = [];
  readonly #lost = new Set<Committed>();
  readonly #keyPeriodsOf: KeyPeriodsOf;
  #purged = 0;
  #commits = 0;
  #incarnation = 0;

  /** @param keyPeriodsOf by default no content has any */
  constructor(keyPeriodsOf: KeyPeriodsOf = () => null) {
    this.#keyPeriodsOf = keyPeriodsOf;
  }

  commit(act: number, nowMs: number): Committed {
    const { touches, change } = acts[act] as (typeof acts)[number];
    const link = { id: `row ${++this.#commits}`, previous: this.#committed.at(-1)?.link.id ?? null };
    const versions = touches.map((item) => {
      const ended = this.endedAt[item] as (number | undefined)[];
      const before = this.#present[item] ?? 0;
      const version = ended.length;
      ended[before] = nowMs;
      ended.push(undefined);
      this.#present[item] = version;
      return [item, version, before] as const;
    });
    const committed = { number: this.#committed.length + 1, at: nowMs, link, change, versions };
    this.#committed.push(committed);
    return committed;
  }

  /**
   * A standby takes over that had not received the last acts: the states that they ended hold again, and their numbers
   * are reused.
   */
  failOver(lost: number, nowMs: number): void {
    this.#incarnation++;
    for (const act of this.#committed.splice(Math.max(0, this.#committed.length - lost)).reverse()) {
      this.#lost.add(act);
      for (const [item, version, before] of act.versions) {
        const ended = this.endedAt[item] as (number | undefined)[];
        ended[version] = nowMs;
        ended[before] = undefined;
        this.#present[item] = before;
      }
    }
    this.#purged = Math.min(this.#purged, Math.max(0, this.#committed.length - 1));
    this.roster.loseSince(this.#committed.at(-1)?.at ?? 0);
  }

  isLost(act: Committed): boolean {
    return this.#lost.has(act);
  }

  /** Whether the item had the version only through an act that was lost. */
  isLostVersion(item: number, version: number): boolean {
    for (const { versions } of this.#lost) {
      if (versions.some(([touched, made]) => touched === item && made === version)) return true;
    }
    return false;
  }

  /**
   * The value that a reader of the item gets now. It carries its version. Version 0 of a mark or content means that it
   * does not exist.
   */
  read(index: number): unknown {
    const version = this.#present[index] ?? 0;
    const { source, key } = items[index] as Item;
    if (source === 'marks') return markOf(version);
    if (source === 'contents') return version === 0 ? null : this.#contentOf(key, version);
    if (source === 'apiKeys')
      return { id: 'k', name: '', scope: 'full', expiresAt: version, revokedAt: null };
    return this.leaseOf(index, version);
  }

  #contentOf(contentId: string, version: number): ContentState {
    const keyPeriods = this.#keyPeriodsOf(contentId, version);
    return { status: 'active', keyVersion: version, keyPeriods };
  }

  /** The state of a lease that carries this version. */
  leaseOf(lease: number, version: number): LeaseState {
    const [viewerId = '', contentId = ''] = pairs[lease] ?? [];
    const expiresAt = this.leaseExpiresAt[lease] ?? 0;
    // The version is the number of milliseconds of grace, of which there are thousands: no other field of a lease can
    // carry it.
    const renewableUntil = expiresAt + graceMs + version;
    return createLeaseState({ viewerId, contentId, expiresAt, renewableUntil });
  }

  renew(lease: number, nowMs: number, lifeMs: number): void {
    const expiresAt = this.leaseExpiresAt[lease] ?? 0;
    if (nowMs < expiresAt + graceMs) this.leaseExpiresAt[lease] = Math.max(expiresAt, nowMs + lifeMs);
  }

  head(): number {
    return this.#committed.length;
  }

  /** The items that the act with this number changed. */
  versionsOf(number: number): Committed['versions'] {
    return this.#committed[number - 1]?.versions ?? [];
  }

  /** A page as Postgres returns it: all of one instant, with the name of the server that was read. */
  since(number: number, limit: number): FeedPage {
    const rows = this.#committed.slice(
      Math.max(number, this.#purged),
      Math.max(number, this.#purged) + limit,
    );
    return {
      head: this.head(),
      history: this.history(),
      changes: rows.map(({ number, at, link, change }) => ({ number, at, ...link, change })),
    };
  }

  /** For each item, its present version. */
  presentVersions(): readonly number[] {
    return [...this.#present];
  }

  /** The name of the server that is read now. */
  history(): string {
    return `server ${this.#incarnation}`;
  }

  /** Removes old rows, never the newest. */
  purge(count: number): void {
    this.#purged = Math.min(this.#purged + count, Math.max(0, this.#committed.length - 1));
  }
}

function versionOfMark(state: MarkState): number {
  if (typeof state === 'number') return state;
  return state.markedAt ?? (state.blockedUntil ?? 0) / blockEndsEveryMs;
}

/** The version that a cached value carries. */
export function versionOf(source: Source, value: unknown): number {
  if (value === null) return 0;
  if (source === 'marks') return versionOfMark(value as MarkState);
  const state = value as { keyVersion: number; expiresAt: number; renewableUntil: number };
  if (source === 'contents') return state.keyVersion;
  return source === 'apiKeys' ? state.expiresAt : state.renewableUntil - state.expiresAt - graceMs;
}
