import type { KeyServer } from './key-server.ts';
import { createLeaseCalls, tabStorage } from './lease-calls.ts';
import { createLeaseKeeper, type LeaseKeeper, type LeaseKeeperPorts } from './lease-keeper.ts';
import type { KeyServerOptions, LeaseOptions } from './player-options.ts';

/** hls.js's kind of playlist, such as `main` or `audio`. Each kind needs one key at a time. */
export type KeyUse = string;

export interface LeaseKeepersPorts
  extends Pick<
    LeaseKeeperPorts,
    'clock' | 'random' | 'maxRetryAfterMs' | 'givesUp' | 'onChange' | 'onRetry' | 'onLost'
  > {
  readonly options: KeyServerOptions;
  readonly server: KeyServer;
  /** Names the player among the viewer's leases, unless the application does. */
  readonly deviceId: string;
  /** The end of the previous playback. */
  readonly before: Promise<unknown>;
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
  const calls = createLeaseCalls(server, tabStorage());
  const keepers = new Map<string, LeaseKeeper>();
  const contentOf = new Map<KeyUse, string>();
  let isOpen = options.leases !== false;
  /** The release of the previous leases. */
  let givingBack = ports.before;

  const each = <T>(act: (keeper: LeaseKeeper) => T) => [...keepers.values()].map(act);

  function keep(contentId: string, { ttlSeconds, deviceId = ports.deviceId }: LeaseOptions): LeaseKeeper {
    return createLeaseKeeper({
      ...ports,
      calls,
      wish: { contentId, deviceId, ttlSeconds },
      before: givingBack,
      onChange(lease) {
        server.keepTokenFresh(isOpen && each((keeper) => keeper.lease).some(Boolean));
        ports.onChange(lease);
      },
    });
  }

  /** Releases a lease that no key needs now. */
  function drop(contentId: string) {
    if ([...contentOf.values()].includes(contentId)) return;
    givingBack = Promise.all([givingBack, keepers.get(contentId)?.release()]);
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
      server.keepTokenFresh(false);
    },
    async release() {
      await Promise.all([givingBack, ...each((keeper) => keeper.release())]);
    },
  };
}
