import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A live channel of video and separate sound, as an origin serves it. */
export interface LiveSource {
  origin: string;
  /** Of the multivariant playlist. */
  playlistUrl: string;
  /** Requests so far, by path. */
  counts: ReadonlyMap<string, number>;
  stop(): void;
}

export const segmentSeconds = 4;
/** The window of a usual live channel: a minute. */
const segmentsShown = 15;

/**
 * Says nothing of caching, as many origins do.
 *
 * @param keyBase where the keys are: `<PUBLIC_URL>/keys/<content>`
 */
export async function startLiveSource(keyBase: () => string): Promise<LiveSource> {
  const counts = new Map<string, number>();
  const server = createServer(({ url: path = '/' }, response) => {
    counts.set(path, (counts.get(path) ?? 0) + 1);
    response.end(path === '/index.m3u8' ? index : showMedia(keyBase()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    playlistUrl: `${origin}/index.m3u8`,
    counts,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const index = [
  '#EXTM3U',
  '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="sound",NAME="sound",DEFAULT=YES,URI="sound.m3u8"',
  '#EXT-X-STREAM-INF:BANDWIDTH=2000000,AUDIO="sound",CODECS="avc1.64001f,mp4a.40.2"',
  'video.m3u8',
  '',
].join('\n');

function showMedia(keyBase: string): string {
  const last = Math.floor(Date.now() / 1_000 / segmentSeconds);
  const lines = [
    '#EXTM3U',
    '#EXT-X-VERSION:6',
    `#EXT-X-TARGETDURATION:${segmentSeconds}`,
    `#EXT-X-MEDIA-SEQUENCE:${last - segmentsShown + 1}`,
  ];
  for (let n = last - segmentsShown + 1; n <= last; n++) {
    if (n % 5 === 0 || n === last - segmentsShown + 1)
      lines.push(`#EXT-X-KEY:METHOD=AES-128,URI="${keyBase}/${Math.floor(n / 5)}"`);
    lines.push(`#EXTINF:${segmentSeconds}.000,`, `segment-${n}.ts`);
  }
  return `${lines.join('\n')}\n`;
}
