import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { repositoryFolder } from '@latchkey/support/repository';
import { encryptLiveCommands, ffmpegCommands, type Names } from './documented-commands.ts';
import { type Program, startProgram } from './program.ts';
import type { WatchedFolders } from './watch-channel.ts';

/** A channel that is on air: its processes, and where they write. */
export interface Channel extends WatchedFolders {
  /** Also the first part of the path of its playlist. */
  readonly contentId: string;
  /** Its processes. With `latchkey encrypt --live` the second one encrypts. */
  readonly programs: Program[];
  /** Starts `latchkey encrypt --live` again. Only for a channel that has it. */
  startEncrypting(): Program;
  end(): Promise<void>;
}

/** How a channel is encrypted. */
export type ChannelKind = 'by-file' | 'by-url' | 'fmp4' | 'ts';

export interface ChannelPlace {
  readonly folder: string;
  readonly names: Omit<Names, 'contentId'>;
  /** Of scope `packager`. */
  readonly apiKey: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Segments of 2 s: players begin three segments before the end, so with fewer they would wait. */
const segmentsAtFirst = 4;
const startLimitMs = 90_000;

/** Starts the commands of docs/live.md, each channel in a folder of its own. */
export function startChannel(contentId: string, kind: ChannelKind, place: ChannelPlace): Channel {
  const cwd = join(place.folder, contentId);
  mkdirSync(cwd, { recursive: true });
  const env = {
    ...place.env,
    NODE: process.execPath,
    LATCHKEY: join(repositoryFolder, 'cli/src/main.ts'),
    LATCHKEY_API_KEY: place.apiKey,
  };
  const names = { ...place.names, contentId };
  const run = (name: string, script: string) =>
    startProgram(`${name} of ${contentId}`, ['bash', '-euc', script], { cwd, env });
  const programs: Program[] = [];
  let startEncrypting = (): Program => {
    throw new Error(`${contentId} is encrypted by ffmpeg`);
  };
  if (kind === 'by-file' || kind === 'by-url') {
    const way = kind === 'by-file' ? 'With ffmpeg, by file' : 'With ffmpeg, by URL';
    programs.push(run('ffmpeg', ffmpegCommands(way, names)));
  } else {
    const { packager, encrypt } = encryptLiveCommands(names, kind);
    // It wants the folder of the source, and makes the other one itself.
    mkdirSync(join(cwd, 'clear'));
    startEncrypting = () => {
      const program = run('latchkey encrypt --live', encrypt);
      programs[1] = program;
      return program;
    };
    programs.push(run('ffmpeg', packager));
    startEncrypting();
  }
  return {
    name: contentId,
    contentId,
    folder: join(cwd, 'channel'),
    playlistName: kind === 'by-file' || kind === 'by-url' ? 'index.m3u8' : 'live.m3u8',
    clearFolder: join(cwd, 'clear'),
    programs,
    startEncrypting: () => startEncrypting(),
    end: async () => void (await Promise.all(programs.map((program) => program.end()))),
  };
}

/**
 * Waits until a player would begin.
 *
 * @throws Error with the output of a program that has ended
 */
export async function waitOnAir(channel: Channel, count: () => number): Promise<void> {
  const limitMs = performance.now() + startLimitMs;
  while (count() < segmentsAtFirst) {
    const said = channel.programs.map(({ name, output }) => `${name}: ${output()}`).join('\n');
    if (channel.programs.some((program) => !program.isRunning())) throw new Error(`ended: ${said}`);
    if (performance.now() > limitMs) {
      const isThere = existsSync(join(channel.folder, channel.playlistName));
      throw new Error(`${channel.name} has ${isThere ? 'too few segments' : 'no playlist'}\n${said}`);
    }
    await sleep(200);
  }
}
