import type { LeaseState } from '../contracts/index.ts';
import type { Change, FeedPage } from '../events/index.ts';
import type { Authority } from './authority.ts';
import { markKey } from './tags.ts';

export type Source = keyof Authority;

/** One state of authority that a replica may cache. Its versions count up with every change. */
export interface Item {
  source: Source;
  key: string;
}

const pairs = [
  ['v0', 'c0'],
  ['v0', 'c1'],
  ['v1', 'c0'],
] as const;

/** Three leases, the marks of their pairs, two contents and an API key: few, so that what happens meets. */
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

/** Everything that changes authority: what it changes, and what the feed says of it. */
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
/** After its expiry a lease can be renewed for this long. Small beside the jumps of the clock. */
const graceMs = 2_000;

/** An act that is committed and not yet answered. */
export interface Committed {
  number: number;
  at: number;
  change: Change;
  /** The items that it changed, and the version that each has since. */
  versions: readonly (readonly [item: number, version: number])[];
}

/** The database: the truth, and the whole history of it. */
export class SimulatedOwner {
  /** For each item, when each of its versions ended. Its present version is the length of the list. */
  readonly endedAt: number[][] = items.map(() => []);
  readonly leaseExpiresAt: number[] = pairs.map(() => 10_000);
  #head = 0;
  #changes: FeedPage['changes'] = [];

  commit(act: number, nowMs: number): Committed {
    const { touches, change } = acts[act] as (typeof acts)[number];
    const number = ++this.#head;
    this.#changes.push({ number, at: nowMs, change });
    const versions = touches.map((item) => {
      const ended = this.endedAt[item] as number[];
      ended.push(nowMs);
      return [item, ended.length] as const;
    });
    return { number, at: nowMs, change, versions };
  }

  /** What a reader of the item gets now: a value that carries its version. Version 0 of a mark or content is that there is none. */
  read(index: number): unknown {
    const version = this.endedAt[index]?.length ?? 0;
    const { source } = items[index] as Item;
    if (source === 'marks') return version === 0 ? null : version;
    if (source === 'contents') return version === 0 ? null : { status: 'active', keyVersion: version };
    if (source === 'apiKeys')
      return { id: 'k', name: '', scope: 'full', expiresAt: version, revokedAt: null };
    return this.leaseOf(index, version);
  }

  /** The state of a lease that carries this version. */
  leaseOf(lease: number, version: number): LeaseState {
    const [viewerId = '', contentId = ''] = pairs[lease] ?? [];
    const expiresAt = this.leaseExpiresAt[lease] ?? 0;
    // The version counts milliseconds of grace, of which there are thousands: nothing else of a lease can carry it.
    return { viewerId, contentId, expiresAt, renewableUntil: expiresAt + graceMs + version, revokedAt: null };
  }

  renew(lease: number, nowMs: number, lifeMs: number): void {
    const expiresAt = this.leaseExpiresAt[lease] ?? 0;
    if (nowMs < expiresAt + graceMs) this.leaseExpiresAt[lease] = Math.max(expiresAt, nowMs + lifeMs);
  }

  head(): number {
    return this.#head;
  }

  rowsAfter(number: number, limit: number): FeedPage['changes'] {
    return this.#changes.filter((row) => row.number > number).slice(0, limit);
  }

  purge(count: number): void {
    this.#changes = this.#changes.slice(count);
  }
}

/** The version that a cached value carries. */
export function versionOf(source: Source, value: unknown): number {
  if (value === null) return 0;
  if (source === 'marks') return value as number;
  const state = value as { keyVersion: number; expiresAt: number; renewableUntil: number };
  if (source === 'contents') return state.keyVersion;
  return source === 'apiKeys' ? state.expiresAt : state.renewableUntil - state.expiresAt - graceMs;
}
