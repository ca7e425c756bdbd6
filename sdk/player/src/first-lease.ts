import { createDeferred } from './deferred.ts';
import type { LeaseDemand } from './lease-demand.ts';
import type { LeaseKeepers } from './lease-keepers.ts';
import { PlayerError, type PlayerErrorCode, toPlayerError } from './player-error.ts';

export interface FirstLeasePorts {
  readonly keepers: LeaseKeepers;
  readonly demand: LeaseDemand;
  readonly onLost: (error: PlayerError) => void;
}

/** The lease for the content that the application names, before the first key shows which contents there are. */
export interface FirstLease {
  /** @throws PlayerError, which `onLost` gets, too */
  take(contentId: string): Promise<void>;
  /** Whether a refusal may only mean that the name is that of a presentation. Then `take` decides. */
  mayForgive(error: PlayerError): boolean;
  /** A key has been requested: a later refusal is that of a content. */
  skip(): void;
  /** The contents that a playlist names by its keys. */
  named(contentIds: readonly (string | undefined)[]): void;
  end(): void;
}

/**
 * Answers for a name that is not a content. It may be that of a presentation whose renditions have their own content ids,
 * and the viewer's token may list only those.
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
