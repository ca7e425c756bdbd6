import type { MetricsRecorder } from './metrics.ts';

/** Watches what the viewer sees. */
export interface VideoWatch {
  /** A new content is about to be shown. */
  begin(): void;
  stop(): void;
}

export function watchVideo(video: HTMLVideoElement, metrics: MetricsRecorder): VideoWatch {
  const listening = new AbortController();
  const canTellFrames = 'requestVideoFrameCallback' in video;
  let frameRequest: number | undefined;
  let isPlaying = false;
  let wasSought = false;

  const on = (event: keyof HTMLMediaElementEventMap, listener: () => void) =>
    video.addEventListener(event, listener, { signal: listening.signal });
  on('loadeddata', () => {
    if (!canTellFrames) metrics.firstFrame();
  });
  on('playing', () => {
    // Sound alone has no frame to wait for.
    if (!canTellFrames || video.videoWidth === 0) metrics.firstFrame();
    isPlaying = true;
    wasSought = false;
  });
  on('seeking', () => {
    wasSought = true;
  });
  on('pause', () => {
    isPlaying = false;
  });
  on('waiting', () => {
    // Once until it plays again; the waiting after a seek is the seek's.
    if (isPlaying && !wasSought && !video.ended) metrics.stalled();
    isPlaying = false;
  });

  const cancel = () => {
    if (frameRequest !== undefined) video.cancelVideoFrameCallback(frameRequest);
  };
  return {
    begin() {
      isPlaying = false;
      cancel();
      if (canTellFrames) frameRequest = video.requestVideoFrameCallback(() => metrics.firstFrame());
    },
    stop() {
      cancel();
      listening.abort();
    },
  };
}
