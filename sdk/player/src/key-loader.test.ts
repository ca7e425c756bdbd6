import type { HlsConfig, Loader, LoaderCallbacks, LoaderConfiguration, LoaderContext } from 'hls.js';
import { expect, it, vi } from 'vitest';
import { createDeferred, type Deferred } from './deferred.ts';
import { findNextKey, withKeysFrom } from './key-loader.ts';
import { settle } from './testing/manual-clock.ts';

/** The part of hls.js's loader that is used. */
class OwnLoader {
  context: LoaderContext | null = null;
  stats = { loading: {} } as never;
  load = vi.fn();
  abort = vi.fn();
  destroy = vi.fn();
}

function open(type: string, url = 'key') {
  const asked: {
    url: string;
    startSeconds: number;
    use: string;
    signal: AbortSignal;
    key: Deferred<ArrayBuffer>;
  }[] = [];
  const failed: [string, number][] = [];
  // The methods have to be on the prototype to be overridden.
  class Base {
    context: LoaderContext | null = null;
    stats = { loading: {} };
    load(...args: unknown[]) {
      own.load(...args);
    }
    abort() {
      own.abort();
    }
    destroy() {
      own.destroy();
    }
  }
  const own = new OwnLoader();
  const KeyLoader = withKeysFrom(Base as unknown as new (config: HlsConfig) => Loader<LoaderContext>, {
    isKey: (asUrl) => asUrl === 'key',
    getKey(key, signal) {
      const answer = createDeferred<ArrayBuffer>();
      asked.push({ ...key, signal, key: answer });
      return answer.promise;
    },
    onForeignFailure: (ofUrl, status) => failed.push([ofUrl, status]),
  });
  const loader = new KeyLoader({} as HlsConfig);
  const callbacks = { onSuccess: vi.fn(), onError: vi.fn(), onTimeout: vi.fn(), onAbort: vi.fn() };
  const context = {
    type,
    url,
    responseType: 'arraybuffer',
    frag: { start: 12, type: 'audio' },
  } as unknown as LoaderContext;
  loader.load(context, {} as LoaderConfiguration, callbacks as LoaderCallbacks<LoaderContext>);
  return { own, asked, failed, loader, callbacks, context };
}

it.each([
  ['media-fragment', 'key'],
  ['manifest', 'key'],
])('a %s at %s is left to hls.js', (type, url) => {
  const { own, asked, context, callbacks } = open(type, url);
  expect(own.load).toHaveBeenCalledWith(context, {}, callbacks);
  expect(asked).toEqual([]);
});

it('a key of another server is left to hls.js, which is notified of one failure at most', () => {
  const url = 'https://elsewhere.example/key';
  const { own, callbacks, failed, loader, context } = open('key', url);
  const fail = (code: number) => {
    loader.load(context, {} as LoaderConfiguration, callbacks as LoaderCallbacks<LoaderContext>);
    own.load.mock.lastCall?.[2].onError({ code, text: '' }, context, null, {});
  };
  fail(503);
  expect([callbacks.onError.mock.calls.length, failed]).toEqual([1, []]);
  fail(503);
  expect([callbacks.onError.mock.calls.length, failed]).toEqual([1, [[url, 503]]]);
  fail(404);
  expect([callbacks.onError.mock.calls.length, failed]).toEqual([
    1,
    [
      [url, 503],
      [url, 404],
    ],
  ]);
  fail(503);
  own.load.mock.lastCall?.[2].onSuccess('answer', {}, context);
  expect(callbacks.onSuccess).toHaveBeenCalledWith('answer', {}, context);
  // Another failure long after a success is the first one again.
  fail(503);
  expect([callbacks.onError.mock.calls.length, failed.length]).toEqual([3, 2]);
});

it('a key of the key server is requested with getKey, and hls.js gets its bytes', async () => {
  const { own, asked, callbacks, context } = open('key');
  expect(asked).toMatchObject([{ url: 'key', startSeconds: 12, use: 'audio' }]);
  const data = new ArrayBuffer(16);
  asked[0]?.key.resolve(data);
  await settle();
  expect(callbacks.onSuccess).toHaveBeenCalledWith(
    { url: 'key', data, code: 200 },
    expect.anything(),
    context,
    null,
  );
  expect(own.load).not.toHaveBeenCalled();
});

it('hls.js is not notified of a failed key, which it would repeat eight times', async () => {
  const { asked, callbacks } = open('key');
  asked[0]?.key.reject(new Error('refused'));
  await settle();
  for (const callback of Object.values(callbacks)) expect(callback).not.toHaveBeenCalled();
});

it('a key request that hls.js aborts is aborted and gets no answer', async () => {
  const { loader, asked, callbacks, own } = open('key');
  loader.abort();
  expect(asked[0]?.signal.aborted).toBe(true);
  expect(callbacks.onAbort).toHaveBeenCalledTimes(1);
  asked[0]?.key.resolve(new ArrayBuffer(16));
  await settle();
  expect(callbacks.onSuccess).not.toHaveBeenCalled();
  loader.destroy();
  expect(own.destroy).toHaveBeenCalled();
});

const clear = { sn: 100, decryptdata: null };
const fragments = [0, 0, 0, 1, 1, 1, 2, 2, 2].map((epoch, sn) => ({
  sn,
  decryptdata: { uri: `key-${epoch}` },
}));

it.each([
  [0, undefined],
  [1, 'key-1'],
  [2, 'key-1'],
  [3, undefined],
  [4, 'key-2'],
  [8, undefined],
])('after segment %d the next key to fetch is %s', (sn, key) => {
  expect(findNextKey(fragments, sn)).toBe(key);
});

it('the first key after a clear beginning is found, and no key in a clear presentation', () => {
  expect(findNextKey([clear, { sn: 101, decryptdata: { uri: 'key-0' } }], 100)).toBe('key-0');
  expect(findNextKey([clear, { ...clear, sn: 101 }], 100)).toBeUndefined();
});

it('a segment that has left the playlist gives no next key', () => {
  expect(findNextKey(fragments, 77)).toBeUndefined();
  expect(findNextKey([], 'initSegment')).toBeUndefined();
});
