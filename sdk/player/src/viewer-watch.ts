import type { Clock } from './clock.ts';
import { type KeyServerOptions, type LeaseOptions, msOfSeconds } from './player-options.ts';
import type { SessionLeases } from './session-leases.ts';

/** Two minutes: a short pause keeps the lease, and another device does not wait for long. */
const defaultPausedSeconds = 120;
/** Timers of browsers fire at once beyond 2^31 ms. */
const mostDelayMs = 2 ** 31 - 1;

export interface IdleWatch {
  /** Watches this video, in place of any other. */
  watch(video: HTMLVideoElement): void;
  /** Starts the time of a pause, if the video is paused. */
  begin(): void;
  stop(): void;
}

/**
 * Gives the leases back when the video has ended or is paused for long, and takes them again when it is played.
 *
 * @param playing the leases of what is loaded now
 * @throws TypeError for a `releaseAfterPausedSeconds` that is not a number of 0 or more
 */
export function createIdleWatch(
  clock: Clock,
  { leases }: KeyServerOptions,
  playing: () => Pick<SessionLeases, 'isResting' | 'rest' | 'wake'> | undefined,
): IdleWatch {
  const { releaseAfterPausedSeconds: pausedSeconds = defaultPausedSeconds }: LeaseOptions = leases || {};
  const delayMs = msOfSeconds('releaseAfterPausedSeconds', pausedSeconds);
  let video: HTMLVideoElement | undefined;
  let listening = new AbortController();
  let timer: unknown;

  const cancel = () => clock.clearTimeout(timer);
  function begin() {
    cancel();
    if (video?.paused && delayMs <= mostDelayMs) timer = clock.setTimeout(ended, delayMs);
  }
  function watched() {
    cancel();
    if (playing()?.isResting) playing()?.wake();
  }
  function ended() {
    cancel();
    playing()?.rest();
  }
  function stop() {
    cancel();
    listening.abort();
    listening = new AbortController();
    video = undefined;
  }

  return {
    watch(next) {
      stop();
      video = next;
      const { signal } = listening;
      for (const event of ['play', 'playing']) next.addEventListener(event, watched, { signal });
      next.addEventListener('pause', begin, { signal });
      next.addEventListener('ended', ended, { signal });
      begin();
    },
    begin,
    stop,
  };
}

/**
 * Reports when the page is left, also into the back-forward cache, and when it returns from there.
 *
 * @returns removes the listeners
 */
export function watchPage({ onHide, onReturn }: { onHide: () => void; onReturn: () => void }): () => void {
  const listening = new AbortController();
  const { signal } = listening;
  globalThis.addEventListener?.('pagehide', onHide, { signal });
  const show = ({ persisted }: PageTransitionEvent) => {
    if (persisted) onReturn();
  };
  globalThis.addEventListener?.('pageshow', show as EventListener, { signal });
  return () => listening.abort();
}
