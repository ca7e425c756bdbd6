import type { Clock } from './clock.ts';
import { type KeyServerOptions, type LeaseOptions, msOfSeconds } from './player-options.ts';
import type { SessionLeases } from './session-leases.ts';

/** Two minutes: a pause to answer the door keeps its lease, and another device need not wait for long. */
const defaultPausedSeconds = 120;
/** Timers of browsers end at 2^31 ms, and fire at once beyond. */
const mostDelayMs = 2 ** 31 - 1;

/** Watches whether anybody watches. */
export interface IdleWatch {
  /** This video from now on, in place of any other. */
  watch(video: HTMLVideoElement): void;
  /** Counts a pause from now on, where the video is paused. */
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
 * Reports when the page is left, for good or into the back-forward cache, and when it comes back from there.
 *
 * @returns ends the hearing
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
