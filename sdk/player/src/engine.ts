import type Hls from 'hls.js';

/** What plays: hls.js, or the browser by itself. */
export interface Engine {
  readonly hls: Hls | null;
  readonly video: HTMLVideoElement | null;
  /** @returns resolved once the playlist is read and playing may begin */
  load(url: string): Promise<void>;
  /** Requests nothing more. */
  stop(): void;
  destroy(): void;
}
