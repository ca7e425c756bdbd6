import type Hls from 'hls.js';
import type { BufferAppendingData, FragLoadedData, LevelSwitchedData } from 'hls.js';
import type { MetricsRecorder } from './metrics.ts';

type Chunk = BufferAppendingData['chunkMeta'];

/** Takes down the figures that hls.js knows. @returns ends it */
export function watchHls(hls: Hls, metrics: MetricsRecorder): () => void {
  const { Events } = hls.constructor as typeof Hls;
  let lastChunk: Chunk | undefined;

  const onLoaded = (_: unknown, { frag, part }: FragLoadedData) => {
    const { loading } = (part ?? frag).stats;
    metrics.fragmentLoaded(loading.end - loading.start);
  };
  const onAppending = (_: unknown, { frag, chunkMeta }: BufferAppendingData) => {
    // Sound and picture of one segment are appended one after the other.
    if (chunkMeta === lastChunk || !frag.decryptdata?.key) return;
    lastChunk = chunkMeta;
    const durationMs = decryptionOf(chunkMeta);
    if (durationMs !== undefined) metrics.decrypted(durationMs);
  };
  const onSwitched = (_: unknown, { level }: LevelSwitchedData) => metrics.levelShown(level);

  hls.on(Events.FRAG_LOADED, onLoaded);
  hls.on(Events.BUFFER_APPENDING, onAppending);
  hls.on(Events.LEVEL_SWITCHED, onSwitched);
  return () => {
    hls.off(Events.FRAG_LOADED, onLoaded);
    hls.off(Events.BUFFER_APPENDING, onAppending);
    hls.off(Events.LEVEL_SWITCHED, onSwitched);
  };
}

/**
 * hls.js 1.7 has no event for the decryption of a segment (`FRAG_DECRYPTED` is for initialization segments), but it tells
 * when it handed a segment over and got it back, and how long the demuxing and remuxing of what was decrypted took. What
 * is left is the decryption, with the way to the worker and back. The worker's clock has another origin: only
 * durations are compared.
 *
 * @returns undefined for what is no segment: the rest that is flushed after one has no size
 */
function decryptionOf({ size, transmuxing }: Chunk): number | undefined {
  const { start, executeStart, executeEnd, end } = transmuxing;
  return size > 0 && end > 0 ? end - start - (executeEnd - executeStart) : undefined;
}
