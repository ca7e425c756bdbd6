import { createFirstLease } from './first-lease.ts';
import { contentIdOf } from './key-url.ts';
import type { Lease } from './lease.ts';
import { createLeaseDemand } from './lease-demand.ts';
import type { LeaseKeeper } from './lease-keeper.ts';
import {
  createLeaseKeepers,
  type KeyUse,
  type LeaseKeepers,
  type LeaseKeepersPorts,
} from './lease-keepers.ts';

export type { KeyUse } from './lease-keepers.ts';

export interface SessionLeasesPorts extends LeaseKeepersPorts {
  /** The content that the application names. Undefined: that of the first key. */
  readonly contentId: string | undefined;
  /** A key is wanted although the leases were given back. */
  readonly onWoken: () => void;
}

/**
 * The leases of one playback. One lease, for the content that plays, is the rule. A key of another content is requested
 * with the token alone, until the server answers `LEASE_REQUIRED` to one. From then on each kind of playlist has a lease for the
 * content of its keys, one at a time: renditions with content ids of their own play, and a change of quality leaves no
 * lease behind.
 */
export interface SessionLeases {
  readonly contentId: string | undefined;
  readonly lease: Lease | null;
  /** Whether leases are taken: not with `leases: false`, and not once playback has ended. */
  readonly isOpen: boolean;
  /** Whether the leases were given back because nobody watches. */
  readonly isResting: boolean;
  /** The keeper of the lease for a key; undefined where the key is requested without one. */
  keeperFor(keyUrl: string, use: KeyUse): LeaseKeeper | undefined;
  /** Whether `keeperFor` would take no lease from another content. */
  isHeldFor(keyUrl: string): boolean;
  /** Whether this is still the keeper for a key; so it is once playback has ended. */
  isKeptBy(keeper: LeaseKeeper, keyUrl: string): boolean;
  /**
   * Requests a key without a lease; where it is not known yet whether leases are demanded, one request at a time.
   *
   * @throws PlayerError, such as `LEASE_REQUIRED`: `keeperFor` has a keeper from then on, if `isOpen`
   */
  withoutLease<T>(request: () => Promise<T>): Promise<T>;
  /** The keys that a playlist names. */
  named(keyUrls: readonly string[]): void;
  /** Takes the lease where the content is known. @throws PlayerError, which `onLost` gets, too */
  start(): Promise<void>;
  /** Renews at once. */
  check(): Promise<void>;
  /** Gives the leases back while nobody watches. */
  rest(): void;
  /** The same, for a page that is being left. */
  releaseNow(): void;
  /** Takes them again. A failure goes to `onLost`. */
  wake(): void;
  /** Renews no more. */
  stop(): void;
  /** Gives the leases back for good. Never fails. */
  end(): Promise<void>;
}

export function createSessionLeases(ports: SessionLeasesPorts): SessionLeases {
  const contentOfKey = (url: string) => contentIdOf(url, ports.options.keyServerUrl);
  const demand = createLeaseDemand();
  const keepers = createLeaseKeepers({
    ...ports,
    onLost(error) {
      if (!first.mayForgive(error)) ports.onLost(error);
    },
  });
  const first = createFirstLease({ keepers, demand, onLost: ports.onLost });
  const keeperOf = (keyUrl: string) => keepers.of(contentOfKey(keyUrl) ?? '');
  const nap = createNap(keepers);
  let playing = ports.contentId;

  function close() {
    keepers.close();
    demand.close();
  }

  return {
    get contentId() {
      return playing;
    },
    get lease() {
      return keepers.main?.lease ?? null;
    },
    get isOpen() {
      return keepers.isOpen;
    },
    get isResting() {
      return nap.isResting;
    },
    keeperFor(keyUrl, use) {
      const contentId = contentOfKey(keyUrl);
      if (contentId === undefined) return undefined;
      if (nap.isResting) {
        nap.wake();
        ports.onWoken();
      }
      playing ??= contentId;
      if (demand.isRequired || (contentId === playing && !keepers.of(contentId))) {
        first.skip();
        return takeLease(keepers, contentId, use);
      }
      return keepers.of(contentId);
    },
    isHeldFor: (keyUrl) => !demand.isRequired || keeperOf(keyUrl) !== undefined,
    isKeptBy: (keeper, keyUrl) => !keepers.isOpen || keeperOf(keyUrl) === keeper,
    withoutLease: (request) => (ports.options.leases === false ? request() : demand.withoutLease(request)),
    named: (keyUrls) => first.named(keyUrls.map(contentOfKey)),
    async start() {
      if (playing !== undefined && keepers.isOpen) await first.take(playing);
    },
    async check() {
      await Promise.all(keepers.each((keeper) => keeper.check()));
    },
    rest: nap.rest,
    wake: nap.wake,
    releaseNow: () => void keepers.each((keeper) => keeper.releaseNow()),
    stop() {
      close();
      keepers.each((keeper) => keeper.stop());
    },
    async end() {
      close();
      first.end();
      await keepers.release();
    },
  };
}

/** The keeper for a kind of playlist, which takes its lease if it is new. */
function takeLease(keepers: LeaseKeepers, contentId: string, use: KeyUse): LeaseKeeper | undefined {
  const isNew = !keepers.of(contentId);
  const keeper = keepers.assign(contentId, use);
  // A lease that was lost is not taken again: the server has refused it.
  if (isNew) keeper?.take().catch(() => {});
  return keeper;
}

/** While nobody watches, the leases are given back, and taken again afterwards. */
function createNap(keepers: LeaseKeepers) {
  let isResting = false;
  return {
    get isResting() {
      return isResting;
    },
    rest() {
      if (!keepers.isOpen) return;
      isResting = true;
      keepers.each((keeper) => keeper.rest());
    },
    wake() {
      isResting = false;
      if (keepers.isOpen) keepers.each((keeper) => keeper.take().catch(() => {}));
    },
  };
}
