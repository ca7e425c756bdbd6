import type { HlsConfig, Loader, LoaderCallbacks, LoaderConfiguration, LoaderContext } from 'hls.js';

type LoaderClass = new (config: HlsConfig) => Loader<LoaderContext>;

export interface KeyLoaderPorts {
  /** Whether a URL is a key of the key server. */
  readonly isKey: (url: string) => boolean;
  /** @returns the key, whenever it is there; a rejection is no answer to hls.js */
  readonly getKey: (url: string, startSeconds: number, signal: AbortSignal) => Promise<ArrayBuffer>;
}

/** What hls.js tells of a key request, beyond any other. */
interface KeyContext extends LoaderContext {
  readonly frag?: { readonly start: number };
}

/**
 * hls.js's loader, with the keys of the key server taken from elsewhere. Nothing else is touched: no playlist and no
 * segment passes through.
 *
 * hls.js 1.7 repeats a refused key eight times and gives a request without an answer up at once (`error-helper.ts`), both
 * the wrong way round here. So it never hears of a failure: a refusal ends playback, and any other failure is retried
 * while hls.js waits.
 */
export function withKeysFrom(Base: LoaderClass, { isKey, getKey }: KeyLoaderPorts): LoaderClass {
  return class extends Base {
    keyRequest: { readonly controller: AbortController; readonly abort: () => void } | undefined;

    override load(
      context: LoaderContext,
      config: LoaderConfiguration,
      callbacks: LoaderCallbacks<LoaderContext>,
    ): void {
      if ((context.type as string) !== 'key' || !isKey(context.url)) {
        super.load(context, config, callbacks);
        return;
      }
      this.context = context;
      const { stats } = this;
      const controller = new AbortController();
      const { signal } = controller;
      this.keyRequest = { controller, abort: () => callbacks.onAbort?.(stats, context, null) };
      stats.loading.start = performance.now();
      getKey(context.url, (context as KeyContext).frag?.start ?? 0, signal).then(
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
