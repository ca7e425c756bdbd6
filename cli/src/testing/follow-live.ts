import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClockPeriods } from '@latchkey/shared/contracts';
import { createManualClock } from '@latchkey/shared/testing';
import { createVectorIssuer } from '../encrypt/issue-vectors.ts';
import type { LiveTools } from '../live/encrypt-segment.ts';
import { followStep, openFollower } from '../live/follow-rendition.ts';
import { createFolderSource } from '../live/live-source.ts';
import { keyOfUrl, keyUrlBase } from './encrypt-files.ts';
import { type PlayedRendition, playPresentation } from './play-presentation.ts';
import { temporaryFolder, writeFiles } from './temporary-folder.ts';

/** Periods of 10 s from the start of the manual clock. */
export function testPeriods(more: Partial<ClockPeriods> = {}): ClockPeriods {
  const origin = createManualClock().now();
  return { mode: 'clock', origin, periodSeconds: 10, ahead: 1, behind: null, ...more };
}

const keyUrlOf = (epoch: number) => `${keyUrlBase}/keys/channel/${epoch}`;

/** The tools of a live encryption with derived keys. @returns its warnings too */
export function createLiveTools(more: Pick<LiveTools, 'source' | 'clock' | 'wait'> & Partial<LiveTools>) {
  const warnings: string[] = [];
  const tools: LiveTools = {
    periods: testPeriods(),
    keys: { get: async (epoch) => keyOfUrl(keyUrlOf(epoch)), keepAhead: async () => {} },
    vectors: createVectorIssuer(randomBytes),
    keyUrlOf,
    plainNames: true,
    signal: new AbortController().signal,
    warn: (text) => void warnings.push(text),
    ...more,
  };
  return { tools, warnings };
}

/**
 * A rendition that is followed step by step. The source is the folder `in`, the output the folder `out`; keys are derived, and
 * the clock stands still until the test moves it.
 */
export function followFolder(more: Partial<LiveTools> = {}, folder = temporaryFolder()) {
  const clock = createManualClock();
  writeFiles(folder, { 'in/.keep': '' });
  const source = createFolderSource(join(folder, 'in'));
  const wait: LiveTools['wait'] = async (seconds) => clock.advance(seconds * 1_000);
  const { tools, warnings } = createLiveTools({ source, clock, wait, ...more });
  const out = join(folder, 'out');
  const open = () =>
    openFollower(
      {
        name: 'live',
        location: join(folder, 'in', 'live.m3u8'),
        folder: out,
        playlistName: 'live.m3u8',
        onPublish: async () => {},
      },
      tools,
    );
  let follower: ReturnType<typeof open> | undefined;
  return {
    folder,
    out,
    clock,
    warnings,
    /** Writes files of the source, and takes them over. @returns whether the source has ended */
    async take(files: Readonly<Record<string, string | Uint8Array>>): Promise<boolean> {
      writeFiles(join(folder, 'in'), files);
      follower ??= open();
      return followStep(await follower);
    },
    /** A new process with the same folder. */
    async restart(): Promise<void> {
      follower = open();
      await follower;
    },
    play(): PlayedRendition {
      const [played] = playPresentation(join(out, 'live.m3u8'), keyOfUrl);
      return played as PlayedRendition;
    },
    text: () => readFileSync(join(out, 'live.m3u8'), 'utf8'),
    files: () =>
      readdirSync(out)
        .filter((name) => !name.startsWith('.'))
        .sort(),
  };
}

/** A live playlist with segments of 2 s. @param names without their ending `.ts`, and other lines that begin with `#` */
export function livePlaylist(first: number, ...names: readonly string[]): string {
  const lines = names.flatMap((name) => (name.startsWith('#') ? [name] : ['#EXTINF:2,', `${name}.ts`]));
  return `${['#EXTM3U', '#EXT-X-TARGETDURATION:2', `#EXT-X-MEDIA-SEQUENCE:${first}`, ...lines].join('\n')}\n`;
}

/** A playlist with its segments, whose content is their name. */
export function liveFiles(first: number, ...names: readonly string[]): Record<string, string> {
  const segments = names.filter((name) => !name.startsWith('#'));
  const files = Object.fromEntries(segments.map((name) => [`${name}.ts`, name]));
  return { ...files, 'live.m3u8': livePlaylist(first, ...names) };
}

/** The content of each segment that a player decrypts. */
export function clearTexts({ segments }: PlayedRendition): string[] {
  return segments.map(({ clear }) => clear.toString());
}
