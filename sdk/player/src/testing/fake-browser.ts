/** A `<source>`, as `document.createElement` makes it. */
export interface FakeSource {
  type?: string;
  src?: string;
  remove(): void;
}

/** The part of a `<video>` that the player uses. */
export class FakeVideo extends EventTarget {
  readonly HAVE_FUTURE_DATA = 3;
  readyState = 4;
  currentTime = 0;
  playbackRate = 1;
  videoWidth = 640;
  ended = false;
  paused = false;
  duration = 600;
  src = '';
  readonly sources: FakeSource[] = [];
  disableRemotePlayback = false;
  webkitCurrentPlaybackTargetIsWireless = false;
  error: { code: number; message: string } | null = null;
  pauses = 0;
  #onFrame: (() => void) | undefined;

  canPlayType(type: string): string {
    return type === 'application/vnd.apple.mpegurl' ? 'maybe' : '';
  }
  pause(): void {
    this.pauses += 1;
    this.paused = true;
  }
  async play(): Promise<void> {
    this.paused = false;
    this.dispatchEvent(new Event('play'));
  }
  load(): void {}
  removeAttribute(): void {}
  hasAttribute(name: string): boolean {
    return name === 'src' && this.src !== '';
  }
  append(source: FakeSource): void {
    this.sources.push(source);
    source.remove = () => void this.sources.splice(this.sources.indexOf(source), 1);
  }
  requestVideoFrameCallback(callback: () => void): number {
    this.#onFrame = callback;
    return 1;
  }
  cancelVideoFrameCallback(): void {
    this.#onFrame = undefined;
  }
  /** A frame is rendered. */
  showFrame(): void {
    this.#onFrame?.();
  }
  emit(...events: string[]): void {
    for (const event of events) this.dispatchEvent(new Event(event));
  }
}

export const asVideo = (video: FakeVideo) => video as unknown as HTMLVideoElement;

type Listener = (event: string, data: object) => void;

class OwnLoader {
  context = null;
  stats = { loading: {} };
  load(): void {}
  abort(): void {}
  destroy(): void {}
}

/** The part of hls.js that the player uses. */
export class FakeHls {
  static readonly Events = {
    MANIFEST_LOADING: 'hlsManifestLoading',
    MANIFEST_PARSED: 'hlsManifestParsed',
    MEDIA_ATTACHING: 'hlsMediaAttaching',
    MEDIA_ATTACHED: 'hlsMediaAttached',
    LEVEL_LOADED: 'hlsLevelLoaded',
    LEVEL_UPDATED: 'hlsLevelUpdated',
    FRAG_LOADED: 'hlsFragLoaded',
    FRAG_BUFFERED: 'hlsFragBuffered',
    FRAG_CHANGED: 'hlsFragChanged',
    BUFFER_APPENDING: 'hlsBufferAppending',
    LEVEL_SWITCHED: 'hlsLevelSwitched',
    ERROR: 'hlsError',
    DESTROYING: 'hlsDestroying',
  };
  static isSupported(): boolean {
    return true;
  }

  readonly config: { loader: typeof OwnLoader; startPosition: number; preferManagedMediaSource?: boolean };
  media: FakeVideo | null = null;
  levels: object[] = [];
  latestLevelDetails: { live: boolean } | null = null;
  /** The start position when the last playlist was loaded. */
  startedAt = -1;
  /** Calls of the player. */
  readonly calls: string[] = [];
  #listeners = new Map<string, Set<Listener>>();

  constructor(config: object = {}) {
    this.config = { loader: OwnLoader, startPosition: -1, ...config };
  }
  on(event: string, listener: Listener): void {
    const ofEvent = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, ofEvent.add(listener));
  }
  once(event: string, listener: Listener): void {
    const once: Listener = (name, data) => {
      this.off(event, once);
      listener(name, data);
    };
    this.on(event, once);
  }
  off(event: string, listener: Listener): void {
    this.#listeners.get(event)?.delete(listener);
  }
  trigger(event: keyof typeof FakeHls.Events, data: object = {}): void {
    const name = FakeHls.Events[event];
    for (const listener of [...(this.#listeners.get(name) ?? [])]) listener(name, data);
  }
  loadSource(url: string): void {
    this.calls.push(`load ${url}`);
    this.startedAt = this.config.startPosition;
    this.trigger('MANIFEST_LOADING', { url });
  }
  attachMedia(media: FakeVideo): void {
    this.media = media;
    this.trigger('MEDIA_ATTACHING', { media });
    this.trigger('MEDIA_ATTACHED', { media });
  }
  startLoad(position: number): void {
    this.calls.push(`start ${position}`);
  }
  stopLoad(): void {
    this.calls.push('stop');
  }
  recoverMediaError(): void {
    this.calls.push('recover');
  }
  destroy(): void {
    this.calls.push('destroy');
    this.trigger('DESTROYING');
  }
  /** Requests a key as hls.js does. @returns the key's first byte */
  askForKey(url: string, startSeconds = 0, type = 'main'): Promise<number> {
    const loader = new this.config.loader() as unknown as {
      load(context: object, config: object, callbacks: object): void;
    };
    return new Promise((resolve) => {
      const onSuccess = ({ data }: { data: ArrayBuffer }) => resolve(new Uint8Array(data)[0] ?? -1);
      loader.load({ type: 'key', url, frag: { start: startSeconds, type } }, {}, { onSuccess });
    });
  }
  /** Requests a key. @returns aborts the request, as hls.js does at a change of quality */
  askAndAbort(url: string): () => void {
    const loader = new this.config.loader() as unknown as {
      load(context: object, config: object, callbacks: object): void;
      abort(): void;
    };
    loader.load({ type: 'key', url, frag: { start: 0, type: 'main' } }, {}, {});
    return () => loader.abort();
  }
}
