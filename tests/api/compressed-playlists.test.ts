import { gunzipSync, gzipSync } from 'node:zlib';
import { makeScene } from '@latchkey/support/black-box/server-actions';
import { startServer } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { openSession, setPlaylist } from '@latchkey/support/playback/open-session';
import { request } from 'undici';
import { expect, it } from 'vitest';
import { startPlaylistSource } from './playlist-source.ts';

const source = await startPlaylistSource();
const publicUrl = 'https://keys.example/base';
// Its own, because it lists the source of this file.
const server = await startServer({ PUBLIC_URL: publicUrl, PLAYLIST_ORIGINS: source.origin });

/** A session of a content with this playlist. `get` fetches a playlist of the session as a player with this `Accept-Encoding`. */
async function open(playlistUrl: string) {
  const scene = await makeScene(server);
  await setPlaylist(server, scene.contentId, playlistUrl);
  const { sid } = await openSession(server, scene);
  const get = async (encodings?: string, name = 'index.m3u8', method: 'GET' | 'HEAD' = 'GET') => {
    const headers = encodings === undefined ? {} : { 'accept-encoding': encodings };
    const answer = await request(`${server.url}/play/${sid}/${name}`, { method, headers });
    const bytes = Buffer.from(await answer.body.arrayBuffer());
    expect(answer.statusCode, bytes.toString()).toBe(200);
    const isZipped = answer.headers['content-encoding'] === 'gzip';
    const text = (isZipped ? gunzipSync(bytes) : bytes).toString();
    return { headers: answer.headers, isZipped, text, sizeBytes: bytes.length };
  };
  return { ...scene, sid, get };
}

const own = (name: string) => `/${unique('channel')}/${name}`;
const key = `#EXT-X-KEY:METHOD=AES-128,URI="${publicUrl}/keys/a/1",IV=0x00000000000000000000000000000000`;
const segments = (count: number) =>
  Array.from({ length: count }, (_, n) => `${key}\n#EXTINF:2.000,\nseg-${n}.3fa91c02.ts\n`).join('');
const live = (count: number) => `#EXTM3U\n#EXT-X-TARGETDURATION:2\n${segments(count)}`;

it('a player that accepts gzip gets the same playlist compressed, and others get it as it is', async () => {
  const { get } = await open(source.set(own('live.m3u8'), live(200)));
  const plain = await get();
  expect([plain.isZipped, plain.headers['content-length']]).toEqual([false, `${plain.sizeBytes}`]);
  expect(plain.headers.vary).toMatch(/accept-encoding/i);
  for (const encodings of ['gzip', 'gzip, deflate, br', 'br;q=1, gzip;q=0.5', '*']) {
    const zipped = await get(encodings);
    expect([encodings, zipped.isZipped, zipped.text === plain.text]).toEqual([encodings, true, true]);
    expect(zipped.sizeBytes).toBeLessThan(plain.sizeBytes / 4);
    expect(zipped.headers).toMatchObject({
      'content-type': 'application/vnd.apple.mpegurl',
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
    });
    expect(zipped.headers.vary).toMatch(/accept-encoding/i);
  }
  for (const encodings of ['', 'identity', 'br', 'gzip;q=0', 'gzip;q=0.1, identity;q=1'])
    expect([encodings, (await get(encodings)).isZipped]).toEqual([encodings, false]);
  expect((await get('gzip', 'index.m3u8', 'HEAD')).headers['content-length']).toBe(`${plain.sizeBytes}`);
});

it('a playlist that fits into a packet is not compressed', async () => {
  const { get } = await open(source.set(own('live.m3u8'), live(3)));
  expect((await get('gzip')).isZipped).toBe(false);
});

it('a source may compress its playlist', async () => {
  const text = live(50);
  const url = source.set(own('live.m3u8'), (_, answer) => {
    answer.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(text));
  });
  const { get, sid } = await open(url);
  const lines = (await get()).text.split('\n');
  expect(lines.filter((line) => line.includes(`/keys/a/1?s=${sid}"`))).toHaveLength(50);
});

it('a live playlist of a whole day is served, compressed too, and other clients are answered meanwhile', async () => {
  const count = 43_200;
  const text = live(count);
  expect(text.length).toBeGreaterThan(5_600_000);
  const { get, sid } = await open(source.set(own('live.m3u8'), text));
  let isAnswered = false;
  const answers = Promise.all([get(), get('gzip'), get('gzip')]).finally(() => {
    isAnswered = true;
  });
  let answered = 0;
  do answered += (await server.client.get('/health')).status === 200 ? 1 : 0;
  while (!isAnswered);
  // A process that did it at once would answer a handful.
  expect(answered).toBeGreaterThan(10);
  const [plain, zipped, again] = await answers;
  expect([plain.isZipped, zipped.isZipped, again.isZipped]).toEqual([false, true, true]);
  expect(zipped.text === plain.text && again.text === plain.text).toBe(true);
  const lines = plain.text.split('\n');
  expect(lines.filter((line) => line.endsWith(`.ts`))).toHaveLength(count);
  expect(lines.filter((line) => line.includes(`/keys/a/1?s=${sid}"`))).toHaveLength(count);
});

it('a key that a playlist names by http is fetched by https with the session, where the public URL is https', async () => {
  const { get, sid } = await open(
    source.set(own('live.m3u8'), live(1).replace('https://keys.example', 'http://keys.example')),
  );
  expect((await get()).text).toContain(`URI="${publicUrl}/keys/a/1?s=${sid}"`);
});

it('variants that differ in their query alone keep their names when the list of them changes', async () => {
  const path = own('master.m3u8');
  const media = own('video.m3u8');
  const variant = (height: number, sign: string) =>
    `#EXT-X-STREAM-INF:BANDWIDTH=${height},RESOLUTION=1x${height}\n${media}?height=${height}&sig=${sign}\n`;
  source.set(media, ({ url }, answer) => {
    const height = new URL(url ?? '', source.origin).searchParams.get('height');
    answer.end(`#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n${height}.ts\n`);
  });
  source.set(path, `#EXTM3U\n${variant(360, 'a')}${variant(720, 'a')}`);
  const { get } = await open(source.origin + path);
  const names = (await get()).text.split('\n').filter((line) => line.endsWith('.m3u8'));
  expect(new Set(names).size).toBe(2);
  source.set(path, `#EXTM3U\n${variant(1080, 'b')}${variant(720, 'b')}${variant(360, 'b')}`);
  // The list of before may be kept for a second.
  await expect.poll(async () => (await get()).text, { timeout: 60_000 }).toContain('RESOLUTION=1x1080');
  const [low, high] = [await get('', names[0]), await get('', names[1])];
  expect([low.text, high.text]).toEqual([
    expect.stringContaining('/360.ts'),
    expect.stringContaining('/720.ts'),
  ]);
});
