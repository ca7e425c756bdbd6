import type Hls from 'hls.js';
import type { BufferAppendingData, FragLoadedData, LevelSwitchedData } from 'hls.js';
import type { MetricsRecorder } from './metrics.ts';

export interface VideoWatch {
  /** A new content will be shown. */
  begin(): void;
  stop(): void;
}

export function watchVideo(video: HTMLVideoElement, metrics: MetricsRecorder): VideoWatch {
  const listening = new AbortController();
  const reportsFrames = 'requestVideoFrameCallback' in video;
  let frameRequest: number | undefined;
  let isPlaying = false;
  let wasSought = false;

  const on = (event: keyof HTMLMediaElementEventMap, listener: () => void) =>
    video.addEventListener(event, listener, { signal: listening.signal });
  on('loadeddata', () => {
    if (!reportsFrames) metrics.firstFrame();
  });
  on('playing', () => {
    // Sound alone has no frame to wait for.
    if (!reportsFrames || video.videoWidth === 0) metrics.firstFrame();
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
    // Once until it plays again, and not after a seek.
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
      if (reportsFrames) frameRequest = video.requestVideoFrameCallback(() => metrics.firstFrame());
    },
    stop() {
      cancel();
      listening.abort();
    },
  };
}

type Chunk = BufferAppendingData['chunkMeta'];

/** Records the figures that hls.js knows. @returns ends it */
export function watchHls(hls: Hls, metrics: MetricsRecorder): () => void {
  const { Events } = hls.constructor as typeof Hls;
  let lastChunk: Chunk | undefined;

  return listenTo(hls, {
    [Events.FRAG_LOADED](_: unknown, { frag, part }: FragLoadedData) {
      const { loading } = (part ?? frag).stats;
      metrics.fragmentLoaded(loading.end - loading.start);
    },
    [Events.BUFFER_APPENDING](_: unknown, { frag, chunkMeta }: BufferAppendingData) {
      // Sound and picture of one segment are appended one after the other.
      if (chunkMeta === lastChunk || !frag.decryptdata?.key) return;
      lastChunk = chunkMeta;
      const durationMs = decryptionOf(chunkMeta);
      if (durationMs !== undefined) metrics.decrypted(durationMs);
    },
    [Events.LEVEL_SWITCHED]: (_: unknown, { level }: LevelSwitchedData) => metrics.levelShown(level),
  });
}

/** @param listeners by event of hls.js @returns removes them */
export function listenTo(hls: Hls, listeners: object): () => void {
  const events = Object.entries(listeners) as [never, never][];
  for (const [event, listener] of events) hls.on(event, listener);
  return () => {
    for (const [event, listener] of events) hls.off(event, listener);
  };
}

/**
 * hls.js 1.7 has no event for the decryption of a segment (`FRAG_DECRYPTED` is for initialization segments). It has the times
 * at which a segment went to the worker and came back, and the duration of demuxing and remuxing. The rest is the decryption,
 * including the transfer. The worker's clock has another origin, so only durations are compared.
 *
 * @returns undefined for the rest that is flushed after a segment, which has no size
 */
function decryptionOf({ size, transmuxing }: Chunk): number | undefined {
  const { start, executeStart, executeEnd, end } = transmuxing;
  return size > 0 && end > 0 ? end - start - (executeEnd - executeStart) : undefined;
}
