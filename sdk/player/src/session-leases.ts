import { createDeferred } from './deferred.ts';
import type { KeyServer } from './key-server.ts';
import { contentIdOf } from './key-url.ts';
import type { Lease } from './lease.ts';
import { createLeaseCalls } from './lease-calls.ts';
import { createLeaseKeeper, type LeaseKeeper, type LeaseKeeperPorts } from './lease-keeper.ts';
import { PlayerError, toPlayerError } from './player-error.ts';
import type { KeyServerOptions, LeaseOptions } from './player-options.ts';
import { tabStorage } from './released-lease.ts';

/** What a key is for: hls.js's kind of playlist, such as `main` or `audio`. Each kind needs one key at a time. */
export type KeyUse = string;

export interface SessionLeasesPorts
  extends Pick<
    LeaseKeeperPorts,
    'clock' | 'random' | 'maxRetryAfterMs' | 'givesUp' | 'onChange' | 'onRetry' | 'onLost'
  > {
  readonly options: KeyServerOptions;
  readonly server: KeyServer;
  /** The content that the application names. Undefined: that of the first key. */
  readonly contentId: string | undefined;
  /** Names the player among the viewer's leases, where the application does not. */
  readonly deviceId: string;
  /** The end of the playback before. */
  readonly before: Promise<unknown>;
  /** A key is wanted although the leases were given back. */
  readonly onWoken: () => void;
}

/**
 * The leases of one playback. One lease, for the content that plays, is the rule. A key of another content is requested
 * with the token alone, until the server answers `LEASE_REQUIRED`. From then on each kind of playlist has a lease for the
 * content of its keys, one at a time: renditions with content ids of their own play, and a change of quality leaves no
 * lease behind.
 */
export interface SessionLeases {
  readonly contentId: string | undefined;
  readonly lease: Lease | null;
  /** Whether the leases were given back because nobody watches. */
  readonly isResting: boolean;
  /** The keeper of the lease for a key; undefined where the key is requested without one. */
  keeperFor(keyUrl: string, use: KeyUse): LeaseKeeper | undefined;
  /** Whether `keeperFor` would take no lease from another content. */
  isHeldFor(keyUrl: string): boolean;
  /** Whether this is still the keeper for a key; so it is once playback has ended. */
  isKeptBy(keeper: LeaseKeeper, keyUrl: string): boolean;
  /** The server demands a lease for this key. @returns the keeper of one; undefined where there will be none */
  require(keyUrl: string, use: KeyUse): LeaseKeeper | undefined;
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
  /** Takes them again. @throws PlayerError, which `onLost` gets, too */
  wake(): Promise<void>;
  /** Renews no more. */
  stop(): void;
  /** Gives the leases back for good. Never fails. */
  end(): Promise<void>;
}

export function createSessionLeases(ports: SessionLeasesPorts): SessionLeases {
  const { options, server } = ports;
  const calls = createLeaseCalls(server, tabStorage());
  const contentOfKey = (url: string) => contentIdOf(url, options.keyServerUrl);
  const keepers = new Map<string, LeaseKeeper>();
  const contentOf = new Map<KeyUse, string>();
  const firstNamed = createDeferred<readonly (string | undefined)[]>();
  let playing = ports.contentId;
  let hasStarted = false;
  let isRequired = false;
  let isResting = false;
  let isOver = false;
  /** The giving back of what was held before. */
  let givingBack = ports.before;

  const each = <T>(act: (keeper: LeaseKeeper) => T) => [...keepers.values()].map(act);

  function keep(contentId: string, { ttlSeconds, deviceId = ports.deviceId }: LeaseOptions): LeaseKeeper {
    return createLeaseKeeper({
      ...ports,
      calls,
      wish: { contentId, deviceId, ttlSeconds },
      before: givingBack,
      onChange(lease) {
        server.keepTokenFresh(!isOver && each((keeper) => keeper.lease).some(Boolean));
        ports.onChange(lease);
      },
      onLost(error) {
        if (hasStarted || !isUnknown(error)) ports.onLost(error);
      },
    });
  }

  function add(contentId: string, use: KeyUse): LeaseKeeper | undefined {
    if (options.leases === false || isOver) return undefined;
    const before = contentOf.get(use);
    contentOf.set(use, contentId);
    if (before !== undefined) drop(before);
    const held = keepers.get(contentId);
    if (held) return held;
    const keeper = keep(contentId, options.leases ?? {});
    keepers.set(contentId, keeper);
    return keeper;
  }

  /** Gives a lease back that no key needs now. */
  function drop(contentId: string) {
    if ([...contentOf.values()].includes(contentId)) return;
    givingBack = Promise.all([givingBack, keepers.get(contentId)?.release()]);
    keepers.delete(contentId);
  }

  /** @throws PlayerError */
  async function takeFirst(contentId: string): Promise<void> {
    try {
      await add(contentId, 'main')?.take();
    } catch (thrown) {
      const error = toPlayerError(thrown);
      if (hasStarted || !isUnknown(error)) throw error;
      // It may only be the name of a presentation whose renditions have content ids of their own.
      const contents = await firstNamed.promise;
      hasStarted = isRequired = true;
      if (contents.length > 0 && !contents.includes(contentId)) return;
      ports.onLost(error);
      throw error;
    }
    hasStarted = true;
  }

  function take(contentId: string, use: KeyUse): LeaseKeeper | undefined {
    hasStarted = true;
    const isNew = !keepers.has(contentId);
    const keeper = add(contentId, use);
    // One that was lost is not taken again: the server has refused it.
    if (isNew) keeper?.take().catch(() => {});
    return keeper;
  }

  async function wake(): Promise<void> {
    isResting = false;
    if (!isOver) await Promise.all(each((keeper) => keeper.take()));
  }

  return {
    get contentId() {
      return playing;
    },
    get lease() {
      const main = keepers.get(contentOf.get('main') ?? '');
      return (main ?? [...keepers.values()][0])?.lease ?? null;
    },
    get isResting() {
      return isResting;
    },
    keeperFor(keyUrl, use) {
      const contentId = contentOfKey(keyUrl);
      if (contentId === undefined) return undefined;
      if (isResting) {
        wake().catch(() => {});
        ports.onWoken();
      }
      playing ??= contentId;
      if (isRequired || (contentId === playing && !keepers.has(contentId))) return take(contentId, use);
      return keepers.get(contentId);
    },
    isHeldFor: (keyUrl) => !isRequired || keepers.has(contentOfKey(keyUrl) ?? ''),
    isKeptBy: (keeper, keyUrl) => isOver || keepers.get(contentOfKey(keyUrl) ?? '') === keeper,
    require(keyUrl, use) {
      isRequired = true;
      return this.keeperFor(keyUrl, use);
    },
    named: (keyUrls) => firstNamed.resolve(keyUrls.map(contentOfKey)),
    async start() {
      if (playing !== undefined && !isOver) await takeFirst(playing);
    },
    async check() {
      await Promise.all(each((keeper) => keeper.check()));
    },
    rest() {
      if (isOver) return;
      isResting = true;
      each((keeper) => keeper.rest());
    },
    releaseNow: () => void each((keeper) => keeper.releaseNow()),
    wake,
    stop() {
      isOver = true;
      server.keepTokenFresh(false);
      each((keeper) => keeper.stop());
    },
    async end() {
      isOver = true;
      server.keepTokenFresh(false);
      firstNamed.reject(new PlayerError('ABORTED', 'Playback has ended.'));
      await Promise.all([givingBack, ...each((keeper) => keeper.release())]);
    },
  };
}

const isUnknown = ({ code }: PlayerError) => code === 'CONTENT_NOT_FOUND';
