import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { Agent } from 'undici';
import { expect, it, onTestFinished } from 'vitest';
import { PlaylistFault } from '../rewrite/playlist-fault.ts';
import { createWorkPortions } from '../work-portions.ts';
import { createFetchLimiter } from './fetch-limiter.ts';
import { fetchSource, readMaxAge } from './fetch-source.ts';

const mebibyte = 1024 * 1024;

/** A source on a port of its own. Only its origin is listed. */
async function openSource(listener: RequestListener, longTurns = createFetchLimiter()) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const dispatcher = new Agent();
  onTestFinished(async () => {
    await dispatcher.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const mayFetch = (url: URL) => url.origin === origin;
  return {
    origin,
    fetch: (path: string) =>
      fetchSource(new URL(path, origin), {
        mayFetch,
        dispatcher,
        turns: createFetchLimiter(),
        longTurns,
        workTurns: createWorkPortions(),
      }),
  };
}

it('a playlist comes with its URL after redirects, relative ones included', async () => {
  const { origin, fetch } = await openSource(({ url }, answer) => {
    if (url === '/a') answer.writeHead(302, { location: 'b/c?x' }).end();
    else answer.setHeader('cache-control', 'max-age=7').end(`#EXTM3U ${url}`);
  });
  expect(await fetch('/a')).toEqual({
    text: '#EXTM3U /b/c?x',
    url: new URL(`${origin}/b/c?x`),
    maxAgeSeconds: 7,
    end: expect.any(Function),
  });
});

it.each(['http://evil.example/', '//evil.example/', 'file:///etc/passwd', 'http://127.0.0.1:1/'])(
  'a redirect to %s is not followed',
  async (location) => {
    const { fetch } = await openSource((_, answer) => answer.writeHead(307, { location }).end());
    await expect(fetch('/')).rejects.toThrow(/PLAYLIST_ORIGINS/);
  },
);

it('redirects in a circle end', async () => {
  let requests = 0;
  const { fetch } = await openSource((_, answer) => {
    requests++;
    answer.writeHead(302, { location: '/again' }).end();
  });
  await expect(fetch('/')).rejects.toThrow(PlaylistFault);
  expect(requests).toBeLessThanOrEqual(4);
});

it('9 MiB are refused, with a stated length and without one, and while they still come', async () => {
  const { fetch } = await openSource(({ url }, answer) => {
    if (url === '/endless') {
      const more = () => {
        while (answer.write('x'.repeat(65_536)));
      };
      answer.on('drain', more);
      return more();
    }
    const body = Buffer.alloc(9 * mebibyte, 'x');
    if (url === '/stated') answer.setHeader('content-length', body.length);
    return answer.end(body);
  });
  for (const path of ['/stated', '/chunked', '/endless']) await expect(fetch(path)).rejects.toThrow('8 MiB');
});

it.each([[204], [206], [304], [401], [404], [500]])(
  'an answer with status %s is not a playlist',
  async (status) => {
    const { fetch } = await openSource((_, answer) => answer.writeHead(status).end());
    await expect(fetch('/')).rejects.toThrow(`${status}`);
  },
);

it.each([
  ['gzip', gzipSync],
  ['X-GZIP', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['identity', (text: string) => text],
])('a playlist with Content-Encoding %s is read', async (coding, compress) => {
  const { fetch } = await openSource((_, answer) => {
    answer.setHeader('content-encoding', coding).end(compress('#EXTM3U ü'));
  });
  expect((await fetch('/')).text).toBe('#EXTM3U ü');
});

it('a small compressed answer that becomes a text over 8 MiB is refused, and so is a cut or unknown one', async () => {
  const { fetch } = await openSource(({ url }, answer) => {
    answer.setHeader('content-encoding', url === '/unknown' ? 'zstd' : 'gzip');
    const bytes = gzipSync(Buffer.alloc(url === '/bomb' ? 64 * mebibyte : 1_000));
    answer.end(url === '/cut' ? bytes.subarray(0, -9) : bytes);
  });
  await expect(fetch('/bomb')).rejects.toThrow('8 MiB');
  await expect(fetch('/cut')).rejects.toThrow();
  await expect(fetch('/unknown')).rejects.toThrow('compresses');
});

it('a text over 2 MiB waits until another one has been worked on, and shorter ones do not wait', async () => {
  const longTurns = createFetchLimiter({ ofOrigin: 1, inAll: 1, inLine: 9 });
  const { fetch } = await openSource(
    ({ url }, answer) => void answer.end(Buffer.alloc(url === '/long' ? 3 * mebibyte : mebibyte, 'x')),
    longTurns,
  );
  const first = await fetch('/long');
  let isRead = false;
  const second = fetch('/long').finally(() => {
    isRead = true;
  });
  expect((await fetch('/short')).text).toHaveLength(mebibyte);
  expect(isRead).toBe(false);
  first.end();
  (await second).end();
  expect((await fetch('/long')).text).toHaveLength(3 * mebibyte);
});

it('bytes that are not UTF-8 are refused', async () => {
  const { fetch } = await openSource((_, answer) => answer.end(Buffer.from([0x23, 0xff])));
  await expect(fetch('/')).rejects.toThrow('UTF-8');
});

it.each([
  [undefined, null],
  ['public', null],
  ['max-age=5', 5],
  ['public, Max-Age="5"', 5],
  ['max-age=5, s-maxage=3', 3],
  ['no-cache, max-age=5', 0],
  ['private', 0],
  ['max-age=x', null],
])('Cache-Control %j allows %s s', (header, expected) => {
  expect(readMaxAge(header)).toBe(expected);
});

it('the time that a text has already spent in caches is taken from how long it may be kept', async () => {
  const { fetch } = await openSource((_, answer) => {
    answer.setHeader('cache-control', 'max-age=6').setHeader('age', '5').end('#EXTM3U');
  });
  expect((await fetch('/')).maxAgeSeconds).toBe(1);
});
