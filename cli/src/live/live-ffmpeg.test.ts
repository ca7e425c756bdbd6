import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { keyOfUrl } from '../testing/encrypt-files.ts';
import { startLiveKeyServer } from '../testing/live-key-server.ts';
import { type PlayedRendition, playPresentation } from '../testing/play-presentation.ts';
import { apiKeyEnv, realTime, runCommand } from '../testing/run-command.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';

const ffmpeg = process.env.FFMPEG_PATH ?? 'ffmpeg';
const seconds = 6;
const hls = ['-f', 'hls', '-hls_time', '1', '-hls_list_size', '3'];
const video = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '25', '-b:v', '200k', '-sc_threshold', '0'];

/** Starts an encoder that writes live: MPEG-TS in two renditions into `ts`, and fMP4 into `fmp4`. */
function startEncoder(folder: string) {
  for (const name of ['ts/0', 'ts/1', 'fmp4']) mkdirSync(join(folder, name), { recursive: true });
  const child = spawn(
    ffmpeg,
    [
      ...['-nostdin', '-loglevel', 'error', '-re', '-f', 'lavfi', '-i', 'testsrc=size=160x90:rate=25'],
      ...['-t', String(seconds), '-map', '0:v', '-map', '0:v', ...video, ...hls],
      ...['-hls_flags', 'program_date_time', '-master_pl_name', 'master.m3u8'],
      ...['-var_stream_map', 'v:0 v:1', '-hls_segment_filename', 'ts/%v/s%d.ts', 'ts/%v/index.m3u8'],
      ...['-t', String(seconds), '-map', '0:v', ...video, ...hls],
      ...['-hls_segment_type', 'fmp4', '-hls_segment_filename', 'fmp4/s%d.m4s', 'fmp4/live.m3u8'],
    ],
    { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  return once(child, 'exit');
}

/** Plays a live playlist again and again until `ended`, as a player reloads it. */
async function watch(playlist: string, ended: Promise<unknown>) {
  const seen = new Map<string, PlayedRendition['segments'][number]>();
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  let last: PlayedRendition[] = [];
  for (let isLast = false; !isLast; await sleep(100)) {
    isLast = isOver;
    try {
      last = playPresentation(playlist, keyOfUrl);
    } catch (error) {
      // Not there yet: nothing else may fail.
      if (seen.size === 0 && (error as NodeJS.ErrnoException).path === playlist) continue;
      throw error;
    }
    for (const segment of last.flatMap((rendition) => rendition.segments)) seen.set(segment.path, segment);
  }
  return { seen, last };
}

it('what ffmpeg writes live, as MPEG-TS in two renditions and as fMP4, decrypts to its own bytes under keys that change', async () => {
  const folder = temporaryFolder();
  const { url } = await startLiveKeyServer(undefined);
  const encoder = startEncoder(folder);
  const start = (playlist: string, contentId: string) => {
    const out = join(folder, 'out', contentId);
    const args = ['encrypt', '--live', join(folder, playlist), '--content-id', contentId, '--out', out];
    return runCommand([...args, '--server', url, '--register', '--period', '2'], {
      env: apiKeyEnv,
      ...realTime,
    });
  };
  const runs = [start('ts/master.m3u8', 'ts'), start('fmp4/live.m3u8', 'fmp4')] as const;
  const [ts, fmp4] = await Promise.all([
    watch(join(folder, 'out/ts/master.m3u8'), runs[0]),
    watch(join(folder, 'out/fmp4/live.m3u8'), runs[1]),
  ]);
  expect((await encoder)[0]).toBe(0);
  for (const { exitCode, stderr } of await Promise.all(runs)) {
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('The source has ended.')]);
    expect(stderr.replace(/.*waits for the source.*\n/g, '')).not.toContain('warning');
  }
  const clearOf = (source: string, ending: string) => {
    const names = readdirSync(join(folder, source)).filter((name) => name.endsWith(ending));
    const numbers = names.map((name) => Number(/\d+/.exec(name)?.[0])).sort((a, b) => a - b);
    return numbers.map((number) =>
      readFileSync(join(folder, source, `s${number}${ending}`)).toString('base64'),
    );
  };
  const playedIn = (seen: typeof ts.seen, part: string) =>
    [...seen.values()].filter(({ path }) => path.includes(part)).map(({ clear }) => clear.toString('base64'));

  expect(playedIn(ts.seen, '0-index')).toEqual(clearOf('ts/0', '.ts'));
  expect(playedIn(ts.seen, '1-index')).toEqual(clearOf('ts/1', '.ts'));
  expect(playedIn(fmp4.seen, 'fmp4')).toEqual(clearOf('fmp4', '.m4s'));
  const init = readFileSync(join(folder, 'fmp4/init.mp4'));
  expect(fmp4.last[0]?.maps.map(({ clear }) => clear)).toEqual([init]);

  for (const { seen, last } of [ts, fmp4]) {
    for (const { text } of last) expect(text).toMatch(/#EXT-X-ENDLIST\n$/);
    const used = [...seen.values()].map(({ keyUrl, iv }) => `${keyUrl} ${iv}`);
    expect(new Set(used).size).toBe(used.length);
  }
  const keysOf = ({ seen }: typeof ts) => new Set([...seen.values()].map(({ keyUrl }) => keyUrl)).size;
  // By their own times the six segments begin in three periods of 2 s.
  expect(keysOf(ts)).toBeGreaterThanOrEqual(3);
  // Without times the moment counts at which a segment was seen: the first and the last cannot be seen in the same 2 s.
  expect(keysOf(fmp4)).toBeGreaterThanOrEqual(2);
}, 120_000);
