import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { basename, join } from 'node:path';
import { createManualClock, type ManualClock } from '@latchkey/shared/testing';
import { expect, onTestFinished } from 'vitest';
import { keepFollowing } from '../live/follow-rendition.ts';
import { createHttpSource } from '../live/live-source.ts';
import { openChannel } from '../live/open-channel.ts';
import { keyOfUrl } from './encrypt-files.ts';
import { createLiveTools } from './follow-live.ts';
import { listen } from './listen.ts';
import { playPresentation } from './play-presentation.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Seconds of each segment, and the target duration of each playlist. */
export const segmentSeconds = 2;

type Answer = (url: URL, response: ServerResponse, request: IncomingMessage) => void;

/** A server of a live presentation, on a clock that the test moves. */
export async function startLiveServer(answer: Answer) {
  const clock = createManualClock();
  /** Path and query of each request, and the second of it. */
  const asked: { address: string; second: number }[] = [];
  const origin = await listen((request, response) => {
    const address = request.url ?? '';
    asked.push({ address, second: clock.monotonic() / 1_000 });
    answer(new URL(address, 'http://source'), response, request);
  });
  /** The segments that there are by now. */
  const written = () => Math.floor(clock.monotonic() / 1_000 / segmentSeconds);
  return { clock, asked, origin, written };
}

export type LiveServer = Awaited<ReturnType<typeof startLiveServer>>;

/** The longest list of requests to an address within a target duration. */
export function mostAskedAtOnce(asked: LiveServer['asked'], fromSecond: number, toSecond: number): number {
  const within = asked.filter(({ second }) => second >= fromSecond && second < toSecond);
  const counts = within.map(
    (one) =>
      within.filter(
        ({ address, second }) =>
          address === one.address && second >= one.second && second < one.second + segmentSeconds,
      ).length,
  );
  return Math.max(0, ...counts);
}

export const refuse = (response: ServerResponse, status: number) => void response.writeHead(status).end();
export const redirect = (response: ServerResponse, location: string, cookie: string[] = []) =>
  void response.writeHead(302, { location, 'set-cookie': cookie }).end();
export const numberIn = ({ pathname }: URL) => Number(basename(pathname, '.ts').split(/\D/).at(-1));
/** The texts of segments, from the first to before the last. */
export const texts = (from: number, to: number, mark = 's') =>
  Array.from({ length: to - from }, (_, index) => `${mark}${from + index}`);

/** A playlist of four segments, of which the last one is `last`. @param uriOf its number in the source */
export function windowOf(
  last: number,
  uriOf: (number: number) => string,
  first = Math.max(0, last - 3),
): string {
  const head = ['#EXTM3U', `#EXT-X-TARGETDURATION:${segmentSeconds}`, `#EXT-X-MEDIA-SEQUENCE:${first}`];
  const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  const lines = numbers.flatMap((number) => [`#EXTINF:${segmentSeconds},`, uriOf(number)]);
  return `${[...head, ...lines].join('\n')}\n`;
}

/** Follows a server as `latchkey encrypt --live` does. Its time passes only in `pass`. */
export async function followServer(
  { clock, origin }: LiveServer,
  path: string,
  { out = join(temporaryFolder(), 'out') } = {},
) {
  mkdirSync(out, { recursive: true });
  const end = new AbortController();
  const time = createSteppedTime(clock);
  const address = `${origin}${path}`;
  const { signal } = end;
  const source = createHttpSource({ address, headers: {}, signal });
  const { tools, warnings } = createLiveTools({ source, clock, wait: time.wait, signal });
  const report = { warn: tools.warn, say: () => {} };
  const { followers, lookup } = await openChannel({ address, outFolder: out, report }, tools);
  const over = Promise.allSettled(followers.map((follower) => time.run(keepFollowing(follower, lookup))));
  const stop = async () => {
    end.abort(new Error('stopped'));
    await over;
  };
  onTestFinished(stop);
  const playlists = followers.map(({ options }) => ({
    name: options.name,
    path: join(options.folder, options.playlistName),
  }));
  const watched = watchPlaylists(playlists);
  return {
    out,
    warnings,
    stop,
    names: playlists.map(({ name }) => name),
    async pass(seconds: number): Promise<void> {
      const start = clock.monotonic();
      for (let second = 1; second <= seconds; second++) {
        await time.advanceTo(start + second * 1_000);
        watched.look();
      }
    },
    /** The content of each segment that was in the playlist of a rendition, in the order of their names. */
    played: (name = playlists[0]?.name ?? '') => watched.played(name),
    /** Discontinuities of a rendition until now. */
    breaks(): number {
      return Math.max(...playlists.map(({ path: playlist }) => countBreaks(readFileSync(playlist, 'utf8'))));
    },
  };
}

/** Time that passes in waits alone, however long the machine works between them. */
function createSteppedTime(clock: ManualClock) {
  const waiting: { readonly at: number; readonly resolve: () => void }[] = [];
  let running = 0;
  let notify = () => {};
  return {
    wait: (seconds: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
        waiting.push({ at: clock.monotonic() + seconds * 1_000, resolve });
        notify();
      }),
    /** Work that always waits or ends. */
    async run(work: Promise<void>): Promise<void> {
      running++;
      await work.finally(() => {
        running--;
        notify();
      });
    },
    async advanceTo(at: number): Promise<void> {
      for (;;) {
        while (waiting.length < running) {
          await new Promise<void>((resolve) => {
            notify = resolve;
          });
        }
        waiting.sort((one, other) => one.at - other.at);
        const next = waiting[0];
        if (!next || next.at > at) break;
        waiting.shift();
        clock.advance(Math.max(0, next.at - clock.monotonic()));
        next.resolve();
      }
      clock.advance(at - clock.monotonic());
    },
  };
}

/** Plays playlists as often as `look` is called. A segment that was seen once must stay as it was. */
function watchPlaylists(playlists: readonly { name: string; path: string }[]) {
  /** By rendition and name of the segment: its content. */
  const seen = new Map<string, Map<string, string>>(playlists.map(({ name }) => [name, new Map()]));
  return {
    look(): void {
      for (const { name, path } of playlists) {
        if (!existsSync(path)) continue;
        const segments = seen.get(name);
        for (const segment of playPresentation(path, keyOfUrl)[0]?.segments ?? []) {
          const file = basename(segment.path);
          const clear = segment.clear.toString();
          expect(segments?.get(file) ?? clear).toBe(clear);
          segments?.set(file, clear);
        }
      }
    },
    played(name: string): string[] {
      const segments = [...(seen.get(name) ?? [])].sort(([one], [other]) => (one < other ? -1 : 1));
      return segments.map(([, clear]) => clear);
    },
  };
}

function countBreaks(text: string): number {
  const before = Number(/#EXT-X-DISCONTINUITY-SEQUENCE:(\d+)/.exec(text)?.[1] ?? 0);
  return before + (text.match(/#EXT-X-DISCONTINUITY\n/g)?.length ?? 0);
}
