import { dirname, join } from 'node:path';
import { makeTestFolder } from '@latchkey/support/black-box/own-process';
import { startSingleNode } from '@latchkey/support/black-box/target';
import { findBlock, readBlocks, readDocument } from '@latchkey/support/documents/read-blocks';
import { makeClone, runBlock } from '@latchkey/support/documents/run-block';
import { findFreePort } from '@latchkey/support/find-free-port';
import { encryptVideo } from '@latchkey/support/playback/encrypt-video';
import { startMediaServer } from '@latchkey/support/playback/media-server';
import { makeVideo } from '@latchkey/support/video/make-video';
import { expect, it, onTestFinished, vi } from 'vitest';
import { countPictures } from '../clients/count-pictures.ts';

const blocks = readBlocks(readDocument('docs/start/remote-playback.md'));
const ffmpeg = process.env.FFMPEG_PATH ?? 'ffmpeg';
const seconds = 4;
vi.setConfig({ testTimeout: 120_000 });

/** The line of a block that begins with this word, without its remark. */
function lineOf(block: string, word: string): string {
  const line = block.split('\n').find((text) => text.startsWith(word));
  if (!line) throw new Error(`the document has no line with ${word}`);
  return line.replace(/\s+#.*$/, '');
}

it('the commands of the document state a playlist, make a session, and play it with ffmpeg without any option', async () => {
  const folder = makeTestFolder();
  makeClone(folder);
  const films = await startMediaServer(folder);
  onTestFinished(films.close);
  const port = await findFreePort();
  const server = await startSingleNode({
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    PLAYLIST_ORIGINS: films.origin,
  });
  const scene = {
    picture: `testsrc2=size=160x90:rate=25:duration=${seconds}`,
    sound: `sine=frequency=440:sample_rate=48000:duration=${seconds}`,
    renditions: [{ size: '160x90', bitrate: '100k' }],
  };
  const clear = await makeVideo({ ffmpeg, folder: join(folder, 'clear'), seconds, scene });
  const { contentId } = await encryptVideo(server, clear.ts, folder, 1);

  const adapt = (command: string) =>
    command
      .replaceAll('localhost:4100', `127.0.0.1:${port}`)
      .replaceAll('http://localhost:8080/film', `${films.origin}/${contentId}`)
      .replaceAll('/content/film', `/content/${contentId}`)
      .replaceAll('session film ', `session ${contentId} `);
  const env = {
    PATH: `${process.env.PATH}:${dirname(ffmpeg)}`,
    HOME: folder,
    LATCHKEY_API_KEY: server.adminApiKey,
  };
  const stating = findBlock(blocks, 'sh', 'curl -fsS -X PATCH');
  const making = lineOf(findBlock(blocks, 'sh', 'latchkey session'), 'URL=');
  const playing = lineOf(findBlock(blocks, 'sh', 'ffmpeg -i'), 'ffmpeg')
    .replace('ffmpeg ', `${ffmpeg} -v error `)
    .replace('film.ts', 'played.ts');
  const output = await runBlock(adapt([stating, making, playing, 'echo; echo "url: $URL"'].join('\n')), {
    cwd: folder,
    env,
  });
  expect(output).toContain(`"playlistUrl":"${films.origin}/${contentId}/master.m3u8"`);
  const url = /^url: (.*)$/m.exec(output)?.[1] ?? '';
  expect(url).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${port}/play/[\\w-]{43}/index\\.m3u8$`));
  expect(await countPictures(ffmpeg, join(folder, 'played.ts'), folder)).toBe(25 * seconds);

  const { json } = await server.client.get('/api/v1/leases?viewerId=ada', server.adminApiKey);
  expect(json.leases).toMatchObject([{ kind: 'session', contentId, state: 'active' }]);
});
