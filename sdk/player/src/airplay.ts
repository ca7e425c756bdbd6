import type Hls from 'hls.js';
import { type AirPlayOffer, createOffer, type WebKitVideo } from './airplay-offer.ts';
import type { PlayerCore } from './player-core.ts';

/** Safari reports true, false and true again while it connects. Only a false that lasts is an end. */
const settleMs = 1_000;

export interface AirPlay {
  /** For a page that is being left. */
  releaseNow(): void;
  /** Never fails. */
  destroy(): Promise<void>;
}

/**
 * Lets a receiver play what hls.js plays here. A receiver cannot play a media source, so the video gets a second `<source>` with the URL
 * of a playback session, as WebKit asks for (https://webkit.org/blog/15036). While a receiver plays, hls.js loads nothing, and the page
 * holds no lease.
 *
 * hls.js 1.7 detaches the video itself when Safari closes its media source for the receiver, and leaves the video alone.
 */
export function createAirPlay(hls: Hls, core: PlayerCore): AirPlay {
  const { Events } = hls.constructor as typeof Hls;
  const offer = createOffer(core);
  const handOver = createHandOver(hls, core, offer);
  let listening = new AbortController();
  let video: WebKitVideo | undefined;

  /** Its media source is open. */
  function onAttached() {
    video = (hls.media ?? undefined) as WebKitVideo | undefined;
    if (!video) return;
    listening.abort();
    listening = new AbortController();
    handOver.watch(video, listening.signal);
    offer.showIn(video, listening.signal);
  }
  // This module may arrive after the first event, and an application may have attached before.
  const onBuffered = () => {
    if (hls.media !== video) onAttached();
  };
  const withdraw = () => void offer.withdraw();
  // The viewer's rights to this playback have ended. A receiver must not get what the page has lost.
  core.emitter.on('error', withdraw);
  hls.on(Events.MEDIA_ATTACHED, onAttached);
  hls.on(Events.FRAG_BUFFERED, onBuffered);
  hls.on(Events.MANIFEST_LOADING, withdraw);

  return {
    releaseNow: offer.withdrawNow,
    destroy() {
      hls.off(Events.MEDIA_ATTACHED, onAttached);
      hls.off(Events.FRAG_BUFFERED, onBuffered);
      hls.off(Events.MANIFEST_LOADING, withdraw);
      listening.abort();
      handOver.stop();
      return offer.withdraw();
    },
  };
}

/** Between this page and a receiver. */
function createHandOver(hls: Hls, core: PlayerCore, offer: AirPlayOffer) {
  const { clock, emitter } = core;
  let timer: unknown;

  function give() {
    if (offer.isTaken) return;
    offer.isTaken = true;
    hls.stopLoad();
    // The receiver's session is the viewer's lease now, and the events of the video come from the receiver.
    core.idle.stop();
    core.session?.leases.rest();
    emitter.emit('remote', { state: 'connected' });
  }

  function takeBack(video: WebKitVideo) {
    offer.isTaken = false;
    offer.withdraw();
    emitter.emit('remote', { state: 'disconnected' });
    const { session } = core;
    if (!session || session.isOver) return;
    const { currentTime, paused } = video;
    session.leases.wake();
    core.idle.watch(video);
    if (!hls.media) hls.attachMedia(video);
    hls.startLoad(hls.latestLevelDetails?.live ? -1 : currentTime);
    if (!paused) video.play().catch(() => {});
  }

  return {
    watch(video: WebKitVideo, signal: AbortSignal) {
      const onTarget = () => {
        clock.clearTimeout(timer);
        const isWireless = video.webkitCurrentPlaybackTargetIsWireless || video.remote?.state === 'connected';
        if (isWireless) give();
        else if (offer.isTaken) timer = clock.setTimeout(() => takeBack(video), settleMs);
      };
      video.addEventListener('webkitcurrentplaybacktargetiswirelesschanged', onTarget, { signal });
      for (const event of ['connect', 'disconnect'])
        video.remote?.addEventListener(event, onTarget, { signal });
    },
    stop: () => clock.clearTimeout(timer),
  };
}
