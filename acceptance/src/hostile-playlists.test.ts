import { expect, it } from 'vitest';
import { openSession, setPlaylist } from './playlists/open-session.ts';
import { startPlaylistSource } from './playlists/playlist-source.ts';
import { makeScene } from './server-actions.ts';
import { startServer } from './target.ts';

const source = await startPlaylistSource();
// A server of its own, because it fetches from a port of this file.
const server = await startServer({
  PUBLIC_URL: 'https://keys.example',
  PLAYLIST_ORIGINS: source.origin,
});
const { client } = server;

/** The most that a source may send. */
const sourceBytes = 2 * 1024 * 1024 - 1_024;
const head = '#EXTM3U\n#EXT-X-TARGETDURATION:6\n';
const fill = (part: string) => part.repeat(Math.floor(sourceBytes / part.length));

it.each([
  ['blank lines before a line', `${fill('\n')}a`],
  ['fewer blank lines before a line', `${'\n'.repeat(150_000)}a`],
  ['spaces in an attribute', `#EXT-X-KEY:METHOD=A${fill(' ')}"`],
  ['attributes without an end', `#EXT-X-KEY:URI="a",${Array.from({ length: 250_000 }, (_, n) => `A${n}=`)}`],
  ['commas', `#EXT-X-KEY:${fill(',')}`],
  ['quotes', `#EXT-X-KEY:URI=${fill('"')}`],
  ['sessions in a key of this server', `#EXT-X-KEY:URI="https://keys.example/keys/a?${fill('s&')}"`],
  ['segments of two characters', 'ab\n'.repeat(199_000)],
  ['keys of this server', '#EXT-X-KEY:URI="https://keys.example/keys/a"\n'.repeat(45_000)],
])(
  'a source that sends 2 MiB of %s is answered with the playlist or 503, and other clients are answered meanwhile',
  async (what, body) => {
    const scene = await makeScene(server);
    await setPlaylist(server, scene.contentId, source.set(`/${what.replaceAll(' ', '-')}.m3u8`, head + body));
    const { sid } = await openSession(server, scene);
    let isAnswered = false;
    const answer = client.get(`/play/${sid}/index.m3u8`).finally(() => {
      isAnswered = true;
    });
    const statuses = new Set<number>();
    do statuses.add((await client.get('/health')).status);
    while (!isAnswered);
    expect([...statuses]).toEqual([200]);
    expect([200, 503]).toContain((await answer).status);
  },
);

it('many sessions get a long playlist at the same time, each with its own id, and the length that was announced', async () => {
  const text = `${head}${'#EXT-X-KEY:METHOD=AES-128,URI="https://keys.example/keys/a"\n#EXTINF:6,ä\nab\n'.repeat(20_000)}`;
  const scene = await makeScene(server);
  await setPlaylist(server, scene.contentId, source.set('/long.m3u8', text));
  const sids = await Promise.all(
    Array.from({ length: 8 }, async () => (await openSession(server, scene)).sid),
  );
  const answers = await Promise.all(sids.map((sid) => client.get(`/play/${sid}/index.m3u8`)));
  for (const [n, { status, headers, bytes }] of answers.entries()) {
    expect([status, headers['content-length']]).toEqual([200, `${bytes.length}`]);
    const lines = bytes.toString('utf8').split('\n');
    expect(lines.filter((line) => line.endsWith(`/keys/a?s=${sids[n]}"`))).toHaveLength(20_000);
    expect(lines.filter((line) => line === '#EXTINF:6,ä')).toHaveLength(20_000);
  }
});
