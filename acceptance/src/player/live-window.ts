import { type PlayerSetup, pageOrigin, segmentSeconds } from './player-setup.ts';
import type { PlayScene } from './scene.ts';

/** A film that is shown as a live channel. */
export interface LiveWindow {
  /** Absolute URL of its playlist. */
  readonly playlist: string;
  /** When the playlist first named the key of this epoch, in ms of `performance.now()`; undefined before. */
  namedMs(epoch: number): number | undefined;
}

/** As players expect: three segments from the end, and one more. */
const windowSegments = 4;

/** Answers one playlist of the page with the last segments of a film, as if a segment were finished every `segmentSeconds`. */
export async function showAsLive(stage: PlayerSetup, { film, context }: PlayScene): Promise<LiveWindow> {
  const read = async (url: string) => (await fetch(url)).text();
  const master = await read(`${stage.mediaUrl}${film.playlist}`);
  const variant = new URL(
    master.split('\n').find((line) => /^[^#]/.test(line)) ?? '',
    `${stage.mediaUrl}${film.playlist}`,
  );
  const segments = findSegments(await read(variant.href));
  const { pathname } = new URL('live.m3u8', variant);
  const playlist = `${pageOrigin}${pathname}`;
  const named = new Map<number, number>();
  let beganMs: number | undefined;
  await context.route(playlist, (route) => {
    beganMs ??= performance.now();
    const finished = windowSegments + Math.floor((performance.now() - beganMs) / (segmentSeconds * 1_000));
    const from = Math.max(0, Math.min(finished, segments.length) - windowSegments);
    const shown = segments.slice(from, from + windowSegments);
    for (const { key } of shown) {
      const epoch = Number(/\/(\d+)"/.exec(key)?.[1]);
      if (!named.has(epoch)) named.set(epoch, performance.now());
    }
    const head = `#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-TARGETDURATION:${segmentSeconds}\n#EXT-X-MEDIA-SEQUENCE:${from}\n`;
    const body = head + shown.map(({ key, lines }) => [key, ...lines].join('\n')).join('\n');
    return route.fulfill({ contentType: 'application/vnd.apple.mpegurl', body: `${body}\n` });
  });
  return { playlist, namedMs: (epoch) => named.get(epoch) };
}

/** The segments of a playlist, each with the tag of its key. */
function findSegments(text: string): { key: string; lines: string[] }[] {
  const segments: { key: string; lines: string[] }[] = [];
  let key = '';
  let duration = '';
  for (const line of text.split('\n')) {
    if (line.startsWith('#EXT-X-KEY:')) key = line;
    if (line.startsWith('#EXTINF:')) duration = line;
    if (/^[^#]/.test(line)) segments.push({ key, lines: [duration, line] });
  }
  return segments;
}
