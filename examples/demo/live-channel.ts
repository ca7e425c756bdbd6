import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { clockScene, testPictureScene } from '@latchkey/support/video/clock-scene';
import { frameRate, segmentSeconds } from '@latchkey/support/video/make-video';
import { type Presentation, periodSeconds, presentations } from '../src/presentations.ts';
import type { Progress } from '../src/progress.ts';

/** The live channel, beside the packagings of the video. */
export const channel = {
  id: 'live',
  contentId: 'demo-live',
  label: 'Live',
  title: 'Demonstration, live',
} as const satisfies Presentation;

export const demoPresentations: readonly Presentation[] = [...presentations, channel];

/** When epoch 0 of the channel began. It never changes, so no key comes twice. */
export const channelOrigin = Date.UTC(2026, 0, 1);

interface ChannelOptions {
  readonly ffmpeg: string;
  /** Holds the encrypted presentations; the page serves it. */
  readonly videoFolder: string;
  /** For the files from which ffmpeg reads its key. The page must not serve it. */
  readonly keyFolder: string;
  readonly serverUrl: string;
  readonly apiKey: string;
  /** The processes get PATH and HOME from it. */
  readonly env: NodeJS.ProcessEnv;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

interface Channel {
  stop(): Promise<void>;
}

const commandFile = fileURLToPath(new URL('../../cli/src/main.ts', import.meta.url));
/** Seconds of the playlist. */
const windowSeconds = 30;
/** ffmpeg needs an end of its sources: ten days. */
const longestSeconds = 864_000;
/** The first segment takes its own length. The rest is for a busy machine. */
const startLimitMs = 60_000;

/**
 * Registers the channel and starts it, as `docs/live.md` describes it: `latchkey key-info` keeps the key of now in a file, and ffmpeg reads it for
 * each segment. Resolves once the playlist is there.
 *
 * @throws Error with the output of the program that ended
 */
export async function startChannel(options: ChannelOptions): Promise<Channel> {
  const { videoFolder, keyFolder, serverUrl, apiKey, env, progress, signal } = options;
  const step = progress.start('Starting the live channel');
  const folder = join(videoFolder, channel.id);
  for (const each of [folder, keyFolder]) {
    rmSync(each, { recursive: true, force: true });
    mkdirSync(each, { recursive: true });
  }
  await registerChannel(options);
  const keyInfo = join(keyFolder, 'channel.keyinfo');
  const followArgs = [
    'key-info',
    '--content-id',
    channel.contentId,
    '--follow',
    keyInfo,
    '--server',
    serverUrl,
  ];
  const variables = { PATH: env.PATH, HOME: env.HOME };
  const follower = startProgram('latchkey key-info', process.execPath, [commandFile, ...followArgs], {
    env: { ...variables, LATCHKEY_API_KEY: apiKey },
    cwd: keyFolder,
  });
  const programs = [follower];
  const stop = async () => {
    for (const { child } of programs.toReversed()) await endProgram(child);
  };
  try {
    await waitForFile(keyInfo, programs, signal);
    const args = [...(await encodeArguments(options)), '-hls_key_info_file', keyInfo, 'index.m3u8'];
    programs.push(startProgram('ffmpeg', options.ffmpeg, args, { env: variables, cwd: folder }));
    for (const name of ['index.m3u8', 'master.m3u8']) await waitForFile(join(folder, name), programs, signal);
  } catch (error) {
    await stop();
    throw error;
  }
  step.done();
  return { stop };
}

async function registerChannel({ serverUrl, apiKey, signal }: ChannelOptions): Promise<void> {
  const origin = new Date(channelOrigin).toISOString();
  const keyPeriods = { mode: 'clock', origin, periodSeconds };
  const response = await fetch(`${serverUrl}/api/v1/content`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ id: channel.contentId, name: channel.title, keyPeriods }),
    signal,
  });
  if (!response.ok) throw new Error(`${channel.contentId} was not registered: ${await response.text()}`);
}

/** A clock that shows the time of day in UTC, in one small rendition, because it is encoded while the page plays. */
async function encodeArguments({ ffmpeg }: ChannelOptions): Promise<string[]> {
  const startsAt = Date.now();
  const clock = {
    seconds: longestSeconds,
    periodSeconds,
    clockSeconds: Math.floor(startsAt / 1_000),
    sinceOriginSeconds: Math.floor((startsAt - channelOrigin) / 1_000),
  };
  const { picture, sound } = (await clockScene(ffmpeg, clock)) ?? testPictureScene(clock);
  const groupFrames = String(frameRate * segmentSeconds);
  return [
    ...['-hide_banner', '-loglevel', 'error', '-nostdin'],
    ...['-re', '-f', 'lavfi', '-i', picture, '-re', '-f', 'lavfi', '-i', sound],
    ...[
      '-vf',
      'scale=640x360',
      '-c:v',
      'libx264',
      '-preset',
      'veryfast',
      '-b:v',
      '500k',
      '-pix_fmt',
      'yuv420p',
    ],
    ...[
      '-g',
      groupFrames,
      '-keyint_min',
      groupFrames,
      '-sc_threshold',
      '0',
      '-c:a',
      'aac',
      '-b:a',
      '96k',
      '-ac',
      '2',
    ],
    ...[
      '-f',
      'hls',
      '-hls_time',
      String(segmentSeconds),
      '-hls_list_size',
      String(windowSeconds / segmentSeconds),
    ],
    ...['-hls_flags', 'periodic_rekey+delete_segments+program_date_time+independent_segments'],
    ...['-hls_start_number_source', 'epoch', '-master_pl_name', 'master.m3u8'],
  ];
}

interface Program {
  readonly name: string;
  readonly child: ChildProcess;
  output(): string;
}

function startProgram(
  name: string,
  path: string,
  args: readonly string[],
  place: { env: NodeJS.ProcessEnv; cwd: string },
): Program {
  const child = spawn(path, args, { ...place, stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-4_000);
  });
  child.once('error', (error) => {
    output += error.message;
  });
  return { name, child, output: () => output };
}

async function endProgram(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  await closed;
}

async function waitForFile(path: string, programs: readonly Program[], signal: AbortSignal): Promise<void> {
  const limitMs = performance.now() + startLimitMs;
  while (!existsSync(path)) {
    signal.throwIfAborted();
    const ended = programs.find(({ child }) => child.exitCode !== null || child.pid === undefined);
    if (ended) throw new Error(`${ended.name} ended:\n${ended.output().trim()}`);
    if (performance.now() > limitMs) throw new Error(`${path} did not appear`);
    await pause(50);
  }
}
