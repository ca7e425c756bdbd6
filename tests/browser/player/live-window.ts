import { type Film, type PlayerSetup, pageOrigin, segmentSeconds } from './player-setup.ts';
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
  const { path, segments } = await readSegments(stage, film);
  const playlist = `${pageOrigin}${path}`;
  const named = new Map<number, number>();
  let beganMs: number | undefined;
  await context.route(playlist, (route) => {
    beganMs ??= performance.now();
    const { shown, body } = renderWindow(segments, performance.now() - beganMs);
    for (const { key } of shown) {
      const epoch = Number(/\/(\d+)"/.exec(key)?.[1]);
      if (!named.has(epoch)) named.set(epoch, performance.now());
    }
    return route.fulfill({ contentType: 'application/vnd.apple.mpegurl', body });
  });
  return { playlist, namedMs: (epoch) => named.get(epoch) };
}

interface Segment {
  /** The tag of its key. */
  readonly key: string;
  readonly lines: string[];
}

/** The segments of a film's first rendition, and the path of a playlist in the same folder. */
export async function readSegments({ mediaUrl }: Pick<PlayerSetup, 'mediaUrl'>, { playlist }: Film) {
  const read = async (url: string) => (await fetch(url)).text();
  const master = await read(`${mediaUrl}${playlist}`);
  const named = master.split('\n').find((line) => /^[^#]/.test(line)) ?? '';
  const variant = new URL(named, `${mediaUrl}${playlist}`);
  return { path: new URL('live.m3u8', variant).pathname, segments: findSegments(await read(variant.href)) };
}

/** The playlist of a channel that began `elapsedMs` ago, and the segments in it. */
export function renderWindow(segments: readonly Segment[], elapsedMs: number) {
  const finished = windowSegments + Math.floor(elapsedMs / (segmentSeconds * 1_000));
  const from = Math.max(0, Math.min(finished, segments.length) - windowSegments);
  const shown = segments.slice(from, from + windowSegments);
  const head = `#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-TARGETDURATION:${segmentSeconds}\n#EXT-X-MEDIA-SEQUENCE:${from}\n`;
  const body = head + shown.map(({ key, lines }) => [key, ...lines].join('\n')).join('\n');
  return { shown, body: `${body}\n` };
}

function findSegments(text: string): Segment[] {
  const segments: Segment[] = [];
  let key = '';
  let duration = '';
  for (const line of text.split('\n')) {
    if (line.startsWith('#EXT-X-KEY:')) key = line;
    if (line.startsWith('#EXTINF:')) duration = line;
    if (/^[^#]/.test(line)) segments.push({ key, lines: [duration, line] });
  }
  return segments;
}
