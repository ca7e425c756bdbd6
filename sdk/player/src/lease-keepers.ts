import { createDeferred } from './deferred.ts';
import type { KeyServer } from './key-server.ts';
import { createLeaseCalls, tabStorage } from './lease-calls.ts';
import type { LeaseDemand } from './lease-demand.ts';
import { createLeaseKeeper, type LeaseKeeper, type LeaseKeeperPorts } from './lease-keeper.ts';
import { PlayerError, type PlayerErrorCode, toPlayerError } from './player-error.ts';
import type { KeyServerOptions, LeaseOptions } from './player-options.ts';

/** hls.js's kind of playlist, such as `main` or `audio`. Each kind needs one key at a time. */
export type KeyUse = string;

export interface LeaseKeepersPorts
  extends Pick<
    LeaseKeeperPorts,
    'clock' | 'random' | 'maxRetryAfterMs' | 'givesUp' | 'onUrl' | 'onChange' | 'onRetry' | 'onLost'
  > {
  readonly options: KeyServerOptions;
  readonly server: KeyServer;
  /** Names the player among the viewer's leases, unless the application does. */
  readonly deviceId: string;
}

/** The leases that one playback holds now: one for each content whose keys a kind of playlist needs. */
export interface LeaseKeepers {
  /** For the picture, or for what plays without one. */
  readonly main: LeaseKeeper | undefined;
  /** Whether leases are still taken. */
  readonly isOpen: boolean;
  of(contentId: string): LeaseKeeper | undefined;
  /** Calls `act` for the keepers that exist now. */
  each<T>(act: (keeper: LeaseKeeper) => T): T[];
  /**
   * This kind of playlist now needs keys of this content. The lease of its previous content is released if no other kind
   * needs it.
   *
   * @returns the keeper, which has no lease yet if it is new; undefined if no lease may be taken
   */
  assign(contentId: string, use: KeyUse): LeaseKeeper | undefined;
  /** No further lease is taken. */
  close(): void;
  /** Releases all leases. Never fails. */
  release(): Promise<void>;
}

export function createLeaseKeepers(ports: LeaseKeepersPorts): LeaseKeepers {
  const { options, server } = ports;
  const calls = createLeaseCalls(server, tabStorage(), ports.onUrl && 'sessions');
  const keepers = new Map<string, LeaseKeeper>();
  const contentOf = new Map<KeyUse, string>();
  let isOpen = options.leases !== false;
  /** The release of leases that no key needs any more. */
  let dropping: Promise<unknown> = Promise.resolve();

  const each = <T>(act: (keeper: LeaseKeeper) => T) => [...keepers.values()].map(act);

  function keep(contentId: string, { ttlSeconds, deviceId = ports.deviceId }: LeaseOptions): LeaseKeeper {
    return createLeaseKeeper({
      ...ports,
      calls,
      releases: server.releases,
      wish: { contentId, deviceId, ttlSeconds },
      onChange(lease) {
        server.keepTokenFresh(keepers, isOpen && each((keeper) => keeper.lease).some(Boolean));
        ports.onChange(lease);
      },
    });
  }

  /** Releases a lease that no key needs now. */
  function drop(contentId: string) {
    if ([...contentOf.values()].includes(contentId)) return;
    dropping = Promise.all([dropping, keepers.get(contentId)?.release()]);
    keepers.delete(contentId);
  }

  return {
    get main() {
      return keepers.get(contentOf.get('main') ?? '') ?? [...keepers.values()][0];
    },
    get isOpen() {
      return isOpen;
    },
    of: (contentId) => keepers.get(contentId),
    each,
    assign(contentId, use) {
      if (!isOpen) return undefined;
      const before = contentOf.get(use);
      contentOf.set(use, contentId);
      if (before !== undefined) drop(before);
      const keeper = keepers.get(contentId) ?? keep(contentId, options.leases || {});
      keepers.set(contentId, keeper);
      return keeper;
    },
    close() {
      isOpen = false;
      server.keepTokenFresh(keepers, false);
    },
    async release() {
      await Promise.all([dropping, ...each((keeper) => keeper.release())]);
    },
  };
}

interface FirstLeasePorts {
  readonly keepers: LeaseKeepers;
  readonly demand: LeaseDemand;
  readonly onLost: (error: PlayerError) => void;
}

/** The lease for the content that the application names, before the first key shows which contents there are. */
export interface FirstLease {
  /** @throws PlayerError, which `onLost` gets, too */
  take(contentId: string): Promise<void>;
  /** Whether a refusal may only mean that the name belongs to a presentation. Then `take` decides. */
  mayForgive(error: PlayerError): boolean;
  /** A key has been requested: a later refusal is about a content. */
  skip(): void;
  /** The contents that a playlist names by its keys. */
  named(contentIds: readonly (string | undefined)[]): void;
  end(): void;
}

/**
 * Answers for a name that is not a content. It may be the name of a presentation whose renditions have their own content ids,
 * and the viewer's token may list only those ids.
 */
const forgivable: readonly PlayerErrorCode[] = ['CONTENT_NOT_FOUND', 'CONTENT_NOT_ENTITLED'];

export function createFirstLease({ keepers, demand, onLost }: FirstLeasePorts): FirstLease {
  const firstNamed = createDeferred<readonly (string | undefined)[]>();
  let isSettled = false;
  const mayForgive = ({ code }: PlayerError) => !isSettled && forgivable.includes(code);

  return {
    mayForgive,
    async take(contentId) {
      try {
        await keepers.assign(contentId, 'main')?.take();
      } catch (thrown) {
        const error = toPlayerError(thrown);
        if (!mayForgive(error)) throw error;
        const contents = await firstNamed.promise;
        isSettled = true;
        demand.require();
        if (contents.length > 0 && !contents.includes(contentId)) return;
        onLost(error);
        throw error;
      }
      isSettled = true;
    },
    skip() {
      isSettled = true;
    },
    named: (contentIds) => firstNamed.resolve(contentIds),
    end: () => firstNamed.reject(new PlayerError('ABORTED', 'Playback has ended.')),
  };
}
