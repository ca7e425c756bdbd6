import type { HlsConfig, Loader, LoaderCallbacks, LoaderConfiguration, LoaderContext } from 'hls.js';

type LoaderClass = new (config: HlsConfig) => Loader<LoaderContext>;

export interface KeyLoaderPorts {
  /** Whether a URL is a key of the key server. */
  readonly isKey: (url: string) => boolean;
  /** @returns the key, however late. hls.js is not notified of a rejection */
  readonly getKey: (asked: AskedKey, signal: AbortSignal) => Promise<ArrayBuffer>;
  /** A key of another server cannot be loaded. hls.js is not notified. */
  readonly onForeignFailure: (url: string, status: number) => void;
}

interface AskedKey {
  readonly url: string;
  /** Start of the segment that needs the key, in seconds of the presentation. */
  readonly startSeconds: number;
  /** hls.js's kind of playlist, such as `main` or `audio`. */
  readonly use: string;
}

/** Requests for a key of another server. hls.js would make nine. */
const maxForeignRequests = 2;

/** The context of a key request of hls.js. */
interface KeyContext extends LoaderContext {
  readonly frag?: { readonly start: number; readonly type?: string };
}

/**
 * hls.js's loader, except that the key server's keys come from `getKey`. Playlists and segments are not affected.
 *
 * hls.js 1.7 repeats a refused key eight times, and gives up a request without an answer at once (`error-helper.ts`). Both
 * are wrong here. So it is not notified of failures: a refusal ends playback, and any other failure is retried while hls.js
 * waits.
 */
export function withKeysFrom(Base: LoaderClass, ports: KeyLoaderPorts): LoaderClass {
  const { isKey, getKey, onForeignFailure } = ports;
  const countFailures = createFailureCount(onForeignFailure);

  return class extends Base {
    declare keyRequest: { readonly controller: AbortController; readonly abort: () => void } | undefined;

    override load(
      context: LoaderContext,
      config: LoaderConfiguration,
      callbacks: LoaderCallbacks<LoaderContext>,
    ): void {
      if ((context.type as string) !== 'key') return void super.load(context, config, callbacks);
      if (!isKey(context.url)) return void super.load(context, config, countFailures(callbacks));
      this.context = context;
      const { stats } = this;
      const controller = new AbortController();
      const { signal } = controller;
      this.keyRequest = { controller, abort: () => callbacks.onAbort?.(stats, context, null) };
      stats.loading.start = performance.now();
      const { start: startSeconds = 0, type: use = 'main' } = (context as KeyContext).frag ?? {};
      getKey({ url: context.url, startSeconds, use }, signal).then(
        (data) => {
          if (signal.aborted) return;
          this.keyRequest = undefined;
          stats.loading.first = stats.loading.end = performance.now();
          stats.loaded = stats.total = data.byteLength;
          callbacks.onSuccess({ url: context.url, data, code: 200 }, stats, context, null);
        },
        () => {},
      );
    }

    override abort(): void {
      const request = this.keyRequest;
      if (!request) return void super.abort();
      this.keyRequest = undefined;
      request.controller.abort();
      request.abort();
    }

    override destroy(): void {
      this.keyRequest?.controller.abort();
      this.keyRequest = undefined;
      super.destroy();
    }
  };
}

/** Passes hls.js's callbacks on, until a key of another server has failed too often. */
function createFailureCount(
  onForeignFailure: KeyLoaderPorts['onForeignFailure'],
): (callbacks: LoaderCallbacks<LoaderContext>) => LoaderCallbacks<LoaderContext> {
  const failuresOf = new Map<string, number>();
  return (callbacks) => {
    const isFinal = (url: string, status: number): boolean => {
      const failures = (failuresOf.get(url) ?? 0) + 1;
      failuresOf.set(url, failures);
      const isRefusal = status >= 400 && status < 500;
      if (!isRefusal && failures < maxForeignRequests) return false;
      failuresOf.delete(url);
      onForeignFailure(url, status);
      return true;
    };
    return {
      ...callbacks,
      onSuccess(answer, stats, context, ...more) {
        failuresOf.delete(context.url);
        callbacks.onSuccess(answer, stats, context, ...more);
      },
      onError(error, context, ...more) {
        if (!isFinal(context.url, error.code)) callbacks.onError(error, context, ...more);
      },
      onTimeout(stats, context, ...more) {
        if (!isFinal(context.url, 0)) callbacks.onTimeout(stats, context, ...more);
      },
    };
  };
}

/** The part of hls.js's fragment that is used here. */
export interface KeyedFragment {
  readonly sn: number | 'initSegment';
  readonly decryptdata: { readonly uri: string } | null;
}

/**
 * A key is fetched two segments before its first: early enough for hls.js, but no earlier. A viewer whose lease is revoked
 * plays on until the keys that the player holds end.
 */
const segmentsAhead = 2;

/**
 * The key of a later period that is needed soon.
 *
 * @param fragments of a playlist, in their order, as hls.js has parsed it
 * @param sn media sequence number of the segment that has been loaded
 * @returns its URL; undefined while the same key lasts
 */
export function findNextKey(
  fragments: readonly KeyedFragment[],
  sn: number | 'initSegment',
): string | undefined {
  const index = fragments.findIndex((fragment) => fragment.sn === sn);
  if (index < 0) return undefined;
  const held = fragments[index]?.decryptdata?.uri;
  const soon = fragments.slice(index + 1, index + 1 + segmentsAhead);
  return soon.map(({ decryptdata }) => decryptdata?.uri).find((uri) => uri !== undefined && uri !== held);
}
