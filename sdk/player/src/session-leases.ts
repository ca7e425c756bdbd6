import { contentIdOf } from './key-url.ts';
import type { Lease } from './lease.ts';
import { createLeaseDemand, type LeaseDemand } from './lease-demand.ts';
import type { LeaseKeeper } from './lease-keeper.ts';
import {
  createFirstLease,
  createLeaseKeepers,
  type FirstLease,
  type KeyUse,
  type LeaseKeepers,
  type LeaseKeepersPorts,
} from './lease-keepers.ts';
import type { PlayerError, PlayerErrorCode } from './player-error.ts';

export interface SessionLeasesPorts extends LeaseKeepersPorts {
  /** The content that the application names. Default: the content of the first key. */
  readonly contentId: string | undefined;
  /** A key is needed although the leases were released. */
  readonly onWoken: () => void;
}

/**
 * The leases of one playback. Usually there is one, for the content that plays. A key of another content is requested with
 * the token alone, until the server answers `LEASE_REQUIRED`. Then each kind of playlist has a lease for the content of its
 * keys, one at a time. So renditions with their own content ids play, and a change of quality leaves no lease behind.
 */
export interface SessionLeases {
  readonly contentId: string | undefined;
  readonly lease: Lease | null;
  /** Whether leases are taken: not with `leases: false`, and not after the end of playback. */
  readonly isOpen: boolean;
  /** Whether the leases were released because no one watches. */
  readonly isResting: boolean;
  /** The keeper of the lease for a key; undefined if the key is requested without one. */
  keeperFor(keyUrl: string, use: KeyUse): LeaseKeeper | undefined;
  /** Whether `keeperFor` would take no lease from another content. */
  isHeldFor(keyUrl: string): boolean;
  /** Whether this is still the keeper for a key. True after the end of playback. */
  isKeptBy(keeper: LeaseKeeper, keyUrl: string): boolean;
  /**
   * Requests a key without a lease. One request at a time, until it is known whether leases are demanded.
   *
   * @throws PlayerError, such as `LEASE_REQUIRED`: then `keeperFor` returns a keeper, if `isOpen`
   */
  withoutLease<T>(request: () => Promise<T>): Promise<T>;
  /** The keys that a playlist names. */
  named(keyUrls: readonly string[]): void;
  /** Takes the lease if the content is known. @throws PlayerError, which `onLost` gets too */
  start(): Promise<void>;
  /** Renews at once. */
  check(): Promise<void>;
  /** Releases the leases while no one watches. */
  rest(): void;
  /** The same for a page that is being left. */
  releaseNow(): void;
  /** Takes them again. A failure goes to `onLost`. */
  wake(): void;
  /** Playback has ended by an error. Releases the leases, unless the server would not accept that. */
  fail(error: PlayerError): void;
  /** Releases the leases for good. Never fails; resolved when the server has answered. */
  end(): Promise<void>;
}

/** The server has ended the lease, or there is no token for its release. */
const withoutRelease: readonly PlayerErrorCode[] = [
  'LEASE_REVOKED',
  'VIEWER_BLOCKED',
  'TOKEN_REVOKED',
  'UNAUTHENTICATED',
  'AUTH_FAILED',
];

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
  const ending = createEnding(keepers, demand, first);

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
    fail: ending.fail,
    end: ending.end,
  };
}

function createEnding(keepers: LeaseKeepers, demand: LeaseDemand, first: FirstLease) {
  let released: Promise<void> | undefined;

  function close() {
    keepers.close();
    demand.close();
  }

  function end() {
    close();
    first.end();
    released ??= keepers.release();
    return released;
  }

  return {
    end,
    fail({ code }: PlayerError) {
      close();
      if (withoutRelease.includes(code)) keepers.each((keeper) => keeper.stop());
      else end();
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

/** While no one watches, the leases are released. Afterwards they are taken again. */
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
