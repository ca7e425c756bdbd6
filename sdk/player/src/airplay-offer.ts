import type { PlayerCore } from './player-core.ts';
import { PlayerError } from './player-error.ts';
import { playlistType } from './playlist-type.ts';
import { createRemoteSession } from './remote-session.ts';

/** The part of Safari's video that other browsers lack. */
export type WebKitVideo = HTMLVideoElement & {
  readonly webkitCurrentPlaybackTargetIsWireless?: boolean;
};

/** The `<source>` for a receiver, and its session: made when a receiver is near, and released when that has gone or has played. */
export interface AirPlayOffer {
  /** A receiver plays. Its session stays, whatever Safari finds. */
  isTaken: boolean;
  /** The media source of this video has opened. */
  showIn(video: WebKitVideo, signal: AbortSignal): void;
  /** Never fails. */
  withdraw(): Promise<void>;
  /** The same for a page that is being left. */
  withdrawNow(): void;
}

export function createOffer(core: PlayerCore): AirPlayOffer {
  const { emitter } = core;
  const remote = createRemoteSession(core, '-airplay', failed);
  let shownIn: WebKitVideo | undefined;
  let source: HTMLSourceElement | undefined;
  let isNear = false;
  /** The content that has or had a session. A refusal is not repeated. */
  let asked: string | undefined;

  function remove() {
    source?.remove();
    source = undefined;
  }

  const forget = () => {
    asked = undefined;
    remove();
  };

  function failed(error: PlayerError) {
    remove();
    if (error.code !== 'ABORTED') emitter.emit('remote', { state: 'failed', error });
  }

  async function make(video: WebKitVideo, contentId: string) {
    // The `src` attribute hides every `<source>`.
    if (video.hasAttribute('src'))
      throw new PlayerError('UNSUPPORTED', 'AirPlay needs preferManagedMediaSource: true in hls.js.');
    const url = await remote.url(contentId);
    if (asked !== contentId || shownIn !== video) return;
    source = addSource(video, url);
    emitter.emit('remote', { state: 'offered' });
  }

  function show() {
    const { session } = core;
    const contentId = session?.leases.contentId;
    if (!isNear || offer.isTaken || !shownIn || session?.isOver || contentId === undefined) return;
    if (source || asked === contentId) return;
    asked = contentId;
    make(shownIn, contentId).catch(failed);
  }

  const offer: AirPlayOffer = {
    isTaken: false,
    showIn(video, signal) {
      onAvailability(video, signal, (isAvailable) => {
        isNear = isAvailable;
        if (isNear) show();
        else if (!offer.isTaken) offer.withdraw();
      });
      // The content may have been unknown before its first key.
      video.addEventListener('playing', show, { signal });
      // hls.js has removed every `<source>`, and has forbidden receivers: a managed media source opens only so.
      video.disableRemotePlayback = false;
      forget();
      shownIn = video;
      show();
    },
    withdraw() {
      forget();
      return remote.release();
    },
    withdrawNow() {
      forget();
      remote.releaseNow();
    },
  };
  return offer;
}

/** @param tell whether a receiver is near, now and whenever that changes */
function onAvailability(video: WebKitVideo, signal: AbortSignal, tell: (isAvailable: boolean) => void) {
  const onEvent = (event: Event & { availability?: string }) => tell(event.availability === 'available');
  video.addEventListener('webkitplaybacktargetavailabilitychanged', onEvent, { signal });
}

function addSource(video: WebKitVideo, src: string): HTMLSourceElement {
  const source = Object.assign(document.createElement('source'), { type: playlistType, src });
  video.append(source);
  return source;
}
