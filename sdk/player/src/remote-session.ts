import type { LeaseKeeper } from './lease-keeper.ts';
import type { PlayerCore } from './player-core.ts';
import { PlayerError } from './player-error.ts';
import type { playlistType } from './playlist-type.ts';

/** A source that a receiver plays without a token. The URL is a secret: it opens this content for this viewer. */
export interface RemoteSource {
  readonly url: string;
  readonly contentType: typeof playlistType;
}

/** A playback session for a receiver. It is a lease of its own, in addition to the lease of the page. The open page renews it. */
export interface RemoteSession {
  /**
   * @param isKept it is not released with the page
   * @returns the URL of the content's session, the same while that lives
   * @throws PlayerError, such as `SESSION_UNAVAILABLE` or `LEASE_LIMIT_REACHED`
   */
  url(contentId: string, isKept?: boolean): Promise<string>;
  /** Releases a session that is not kept. Never fails. */
  release(): Promise<void>;
  /** The same for a page that is being left. */
  releaseNow(): void;
}

interface Held {
  readonly contentId: string;
  readonly keeper: LeaseKeeper;
  /** Empty until there is a session. */
  url: string;
  isKept: boolean;
}

/** If the server answers no renewal by then, the URL is given as it is. */
const checkMs = 3_000;

/**
 * @param suffix added to the device's name: a second session of the same device would end the first
 * @param onLost a session that was made has ended, for example by a revocation
 */
export function createRemoteSession(
  core: PlayerCore,
  suffix: string,
  onLost: (error: PlayerError) => void,
): RemoteSession {
  const { server, clock } = core;
  let held: Held | undefined;
  let releasing: Promise<unknown> = Promise.resolve();

  function begin(contentId: string): Held {
    const keeper = core.keepSession(contentId, suffix, {
      onUrl(url) {
        made.url = url;
      },
      onChange: (lease) => server.keepTokenFresh(made, lease !== null),
      onLost(error) {
        if (held !== made) return;
        held = undefined;
        if (made.url !== '') onLost(error);
      },
    });
    const made: Held = { contentId, keeper, url: '', isKept: false };
    held = made;
    return made;
  }

  function letGo(): LeaseKeeper | undefined {
    const before = held;
    held = undefined;
    if (!before?.isKept) return before?.keeper;
    // Only its uses extend it from now on.
    before.keeper.stop();
    server.keepTokenFresh(before, false);
    return undefined;
  }

  async function release() {
    releasing = Promise.all([releasing, letGo()?.release()]);
    await releasing;
  }

  /** One that was revoked or is over is not given again. */
  function check(keeper: LeaseKeeper): Promise<void> {
    return new Promise((resolve) => {
      clock.setTimeout(resolve, checkMs);
      keeper.check().then(resolve, () => resolve());
    });
  }

  return {
    async url(contentId, isKept = false) {
      if (held && held.contentId !== contentId) release();
      if (held?.keeper.lease) await check(held.keeper);
      const made = held ?? begin(contentId);
      made.isKept ||= isKept;
      await made.keeper.take();
      if (held === made && made.url !== '') return made.url;
      throw new PlayerError('ABORTED', 'The playback session was released before it was there.');
    },
    release,
    releaseNow: () => letGo()?.releaseNow(),
  };
}
