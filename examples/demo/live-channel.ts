import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { frameRate, segmentSeconds } from '@latchkey/support/video/make-video';
import { drawScene } from './clock-scene.ts';

export interface ChannelOptions {
  readonly ffmpeg: string;
  readonly contentId: string;
  readonly keyServerUrl: string;
  /** May register content and read keys: the scope `packager` is enough. */
  readonly apiKey: string;
  /** For the clear segments. Nobody may read it but the two programs. */
  readonly clearFolder: string;
  /** Gets the encrypted playlist `live.m3u8` and its segments. */
  readonly outFolder: string;
  readonly periodSeconds: number;
  readonly signal: AbortSignal;
}

const commandFile = join(import.meta.dirname, '../../cli/src/main.ts');
/** Seconds of the playlist. */
const windowSeconds = 30;
/** ffmpeg needs an end of its sources: ten days. */
const longestSeconds = 864_000;
/** The first segment takes its own length. The rest is for a busy machine. */
const startLimitMs = 60_000;

/**
 * Registers a channel and starts it, as `docs/start/live.md` describes: ffmpeg writes clear segments, and `latchkey encrypt --live` encrypts each one
 * with the key of its time. Resolves once the playlist exists.
 *
 * @param stack stops both programs
 * @throws Error with the output of the program that ended
 */
export async function startChannel(stack: AsyncDisposableStack, options: ChannelOptions): Promise<void> {
  const { ffmpeg, contentId, keyServerUrl, apiKey, clearFolder, outFolder, signal } = options;
  mkdirSync(clearFolder, { recursive: true });
  const clear = join(clearFolder, 'live.m3u8');
  const encode = await encodeArguments(options);
  await register(options);
  const encrypt = [
    'encrypt',
    '--live',
    clear,
    '--content-id',
    contentId,
    '--out',
    outFolder,
    '--server',
    keyServerUrl,
  ];
  const programs = [
    startProgram(stack, 'ffmpeg', ffmpeg, [...encode, clear]),
    startProgram(stack, 'latchkey encrypt --live', process.execPath, [commandFile, ...encrypt], apiKey),
  ];
  const limitMs = performance.now() + startLimitMs;
  while (!existsSync(join(outFolder, 'live.m3u8'))) {
    signal.throwIfAborted();
    const ended = programs.find(({ child }) => child.exitCode !== null || child.pid === undefined);
    if (ended) throw new Error(`${ended.name} ended:\n${ended.output().trim()}`);
    if (performance.now() > limitMs) throw new Error(`${outFolder}/live.m3u8 did not appear`);
    await pause(50);
  }
}

/** States the key periods: the first begins now, with the first picture. */
async function register(options: ChannelOptions): Promise<void> {
  const { contentId, keyServerUrl, apiKey, periodSeconds, signal } = options;
  const keyPeriods = { mode: 'clock', origin: new Date().toISOString(), periodSeconds };
  const response = await fetch(`${keyServerUrl}/api/v1/content`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ id: contentId, name: 'The live channel', keyPeriods }),
    signal,
  });
  if (!response.ok) throw new Error(`${contentId} was not registered: ${await response.text()}`);
}

/** A clock that shows the time of day in UTC, in one small rendition, because it is encoded while the page plays. */
async function encodeArguments({ ffmpeg, periodSeconds }: ChannelOptions): Promise<string[]> {
  const clock = { seconds: longestSeconds, periodSeconds, clockSeconds: Math.floor(Date.now() / 1_000) };
  const { picture, sound } = await drawScene(ffmpeg, clock);
  const group = frameRate * segmentSeconds;
  return [
    ...'-hide_banner -loglevel error -nostdin'.split(' '),
    ...['-re', '-f', 'lavfi', '-i', picture, '-re', '-f', 'lavfi', '-i', sound],
    ...'-vf scale=640x360 -c:v libx264 -preset veryfast -b:v 500k -pix_fmt yuv420p'.split(' '),
    ...`-g ${group} -keyint_min ${group} -sc_threshold 0 -c:a aac -b:a 96k -ac 2`.split(' '),
    ...`-f hls -hls_time ${segmentSeconds} -hls_list_size ${windowSeconds / segmentSeconds}`.split(' '),
    ...['-hls_flags', 'delete_segments+program_date_time+independent_segments'],
  ];
}

interface Program {
  readonly name: string;
  readonly child: ChildProcess;
  output(): string;
}

function startProgram(
  stack: AsyncDisposableStack,
  name: string,
  path: string,
  args: readonly string[],
  apiKey?: string,
): Program {
  const { PATH, HOME } = process.env;
  const child = spawn(path, args, {
    env: { PATH, HOME, LATCHKEY_API_KEY: apiKey },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-4_000);
  });
  child.once('error', (error) => {
    output += error.message;
  });
  stack.defer(async () => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const closed = once(child, 'close');
    child.kill('SIGTERM');
    await closed;
  });
  return { name, child, output: () => output };
}
