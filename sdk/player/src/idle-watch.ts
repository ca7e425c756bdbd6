import type { Clock } from './clock.ts';
import { msOfSeconds } from './seconds-option.ts';

/** Two minutes: a pause to answer the door keeps its lease, and another device need not wait for long. */
const defaultPausedSeconds = 120;
/** Timers of browsers end at 2^31 ms, and fire at once beyond. */
const mostDelayMs = 2 ** 31 - 1;

export interface IdleWatchPorts {
  readonly clock: Clock;
  /** How long a pause may last. */
  readonly pausedSeconds: number | undefined;
  /** The video has ended, or was paused for long. */
  readonly onIdle: () => void;
  /** It is played. */
  readonly onWatched: () => void;
}

/** Watches whether anybody watches. */
export interface IdleWatch {
  /** This video from now on, in place of any other. */
  watch(video: HTMLVideoElement): void;
  /** Counts a pause from now on, where the video is paused. */
  begin(): void;
  stop(): void;
}

/** @throws TypeError for `pausedSeconds` that is not a number of 0 or more */
export function createIdleWatch(ports: IdleWatchPorts): IdleWatch {
  const { clock, pausedSeconds = defaultPausedSeconds, onIdle, onWatched } = ports;
  const delayMs = msOfSeconds('releaseAfterPausedSeconds', pausedSeconds);
  let video: HTMLVideoElement | undefined;
  let listening = new AbortController();
  let timer: unknown;

  const cancel = () => clock.clearTimeout(timer);
  function begin() {
    cancel();
    if (video?.paused && delayMs <= mostDelayMs) timer = clock.setTimeout(onIdle, delayMs);
  }
  function watched() {
    cancel();
    onWatched();
  }
  function ended() {
    cancel();
    onIdle();
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
