import { createDeferred } from './deferred.ts';
import type { LeaseDemand } from './lease-demand.ts';
import type { LeaseKeepers } from './lease-keepers.ts';
import { PlayerError, type PlayerErrorCode, toPlayerError } from './player-error.ts';

export interface FirstLeasePorts {
  readonly keepers: LeaseKeepers;
  readonly demand: LeaseDemand;
  readonly onLost: (error: PlayerError) => void;
}

/** The lease for the content that the application names, before any key tells which contents there are. */
export interface FirstLease {
  /** @throws PlayerError, which `onLost` gets, too */
  take(contentId: string): Promise<void>;
  /** Whether a refusal may only mean that the name is a presentation's: `take` decides. */
  mayForgive(error: PlayerError): boolean;
  /** A key has been asked for: what is refused from now on is a content's. */
  skip(): void;
  /** The contents that a playlist names by its keys. */
  named(contentIds: readonly (string | undefined)[]): void;
  end(): void;
}

/**
 * What the server answers where a name is not a content of its own: it may be that of a presentation whose renditions have
 * content ids of their own, and the viewer's token may name only those.
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
