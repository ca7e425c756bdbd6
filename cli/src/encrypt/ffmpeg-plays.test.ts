import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type MadeVideo, makeVideo } from '@latchkey/rig/video/make-video';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { encryptOptions, keyOfUrl } from '../testing/encrypt-files.ts';
import { startKeyServer } from '../testing/key-server.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { encryptPresentation } from './encrypt-presentation.ts';

// Without ffmpeg these tests fail and say so: a skipped test would pass for a film that nobody has seen play.
const ffmpeg = process.env.FFMPEG_PATH ?? 'ffmpeg';
/** Three segments of two seconds. */
const seconds = 6;
/** 25 a second, in each of two video renditions. */
const frames = 2 * 25 * seconds;

/** ffmpeg encodes and decodes for some seconds each time, on a machine that may have much else to do. */
const limitMs = 240_000;

const folder = mkdtempSync(join(tmpdir(), 'latchkey-ffmpeg-'));
let video: MadeVideo;
beforeAll(async () => {
  video = await makeVideo({ ffmpeg, folder, seconds });
}, limitMs);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Serves the files of a folder, and content keys as Latchkey does. */
async function serve(root: string): Promise<{ url: string; keyPaths: Set<string> }> {
  const keyPaths = new Set<string>();
  const { url } = await startKeyServer((request, response) => {
    const path = request.url ?? '';
    if (!path.startsWith('/keys/')) return void response.end(readFileSync(join(root, path)));
    keyPaths.add(path);
    response.end(keyOfUrl(`http://localhost${path}`));
  });
  return { url, keyPaths };
}

/** Decodes a presentation to its end: time and hash of every frame. Any error on the way fails (-xerror). */
async function decode(url: string): Promise<{ frames: string[]; pictures: number }> {
  const { stdout, stderr } = await promisify(execFile)(
    ffmpeg,
    [
      ...['-hide_banner', '-nostdin', '-loglevel', 'error', '-xerror', '-i', url],
      ...['-map', '0:v', '-map', '0:a', '-f', 'framehash', '-'],
    ],
    { maxBuffer: 64 * 1024 * 1024 },
  );
  expect(stderr).toBe('');
  const lines = stdout.split('\n').filter((line) => /^\d/.test(line));
  const videoStreams = [...stdout.matchAll(/^#media_type (\d+): video$/gm)].map(([, stream]) => stream);
  const pictures = lines.filter((line) => videoStreams.includes(line.split(',')[0])).length;
  // Streams are interleaved as they arrive; within a stream the times order the lines.
  return { frames: lines.sort(), pictures };
}

// Rotation by segments is tested without ffmpeg (`every-segment.test.ts`). Three video segments make three epochs here; the
// sound has a fourth segment where it is a rendition of its own.
it.each(['ts', 'fmp4'] as const)(
  'ffmpeg plays an encrypted %s presentation, with a new key for each segment, with the frames of the clear one',
  async (container) => {
    const root = temporaryFolder();
    const { url, keyPaths } = await serve(root);
    const playlist = video[container];
    const options = { ...encryptOptions(root, ''), playlist, keyUrlBase: url, rotateEverySegments: 1 };
    await encryptPresentation(options);

    const clear = await decode(playlist);
    const played = await decode(`${url}/out/master.m3u8`);
    expect(clear.pictures).toBe(frames);
    expect(played).toEqual(clear);
    const keys = ['/keys/film/0', '/keys/film/1', '/keys/film/2'];
    expect([...keyPaths].sort()).toEqual(expect.arrayContaining(keys));
  },
  limitMs,
);
