import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface VideoOptions {
  /** Path or name of the ffmpeg program; it needs libx264 and aac. */
  readonly ffmpeg: string;
  /** Where `ts/` and `fmp4/` are made; it is created where it is absent. */
  readonly folder: string;
  /** Length. */
  readonly seconds: number;
}

/** The same video twice: absolute or relative as `folder` was, the paths of the multivariant playlists. */
export interface MadeVideo {
  /** MPEG-TS segments, sound and picture together. */
  readonly ts: string;
  /** Fragmented MP4 segments with EXT-X-MAP, sound as a rendition of its own (EXT-X-MEDIA). */
  readonly fmp4: string;
}

/** Frames per second: enough to look alive, few enough to encode in an instant. */
const frameRate = 25;
/** Seconds of a group of pictures and of a segment. */
const segmentSeconds = 2;
const renditions = [
  { size: '640x360', bitrate: '600k' },
  { size: '320x180', bitrate: '200k' },
];

/**
 * Makes a test picture with a moving clock and a tone, as clear HLS with two video renditions.
 *
 * @throws Error where ffmpeg is absent, or with what it said where it fails
 */
export async function makeVideo({ ffmpeg, folder, seconds }: VideoOptions): Promise<MadeVideo> {
  await mkdir(folder, { recursive: true });
  const encode = (sounds: number, packaging: readonly string[]) =>
    run(ffmpeg, [...encodeArguments(seconds, sounds), ...hlsArguments, ...packaging], folder);
  await encode(renditions.length, [
    ...['-hls_segment_filename', 'ts/%v/segment-%03d.ts'],
    ...['-var_stream_map', 'v:0,a:0 v:1,a:1', 'ts/%v/index.m3u8'],
  ]);
  await encode(1, [
    ...['-hls_segment_type', 'fmp4', '-hls_segment_filename', 'fmp4/%v/segment-%03d.m4s'],
    ...['-var_stream_map', 'v:0,agroup:sound v:1,agroup:sound a:0,agroup:sound,default:yes'],
    'fmp4/%v/index.m3u8',
  ]);
  return { ts: join(folder, 'ts', 'master.m3u8'), fmp4: join(folder, 'fmp4', 'master.m3u8') };
}

/** @param sounds how often the sound goes in: once for each rendition that carries it with its picture */
function encodeArguments(seconds: number, sounds: number): string[] {
  const groupFrames = String(frameRate * segmentSeconds);
  const scaled = renditions.map(({ size }, index) => `[p${index}]scale=${size}[v${index}]`);
  const labels = renditions.map((_, index) => `[p${index}]`).join('');
  return [
    ...['-f', 'lavfi', '-i', `testsrc2=size=640x360:rate=${frameRate}:duration=${seconds}`],
    ...['-f', 'lavfi', '-i', `sine=frequency=440:sample_rate=48000:duration=${seconds}`],
    ...['-filter_complex', `[0:v]split=${renditions.length}${labels};${scaled.join(';')}`],
    ...renditions.flatMap(({ bitrate }, index) => ['-map', `[v${index}]`, `-b:v:${index}`, bitrate]),
    ...Array.from({ length: sounds }, () => ['-map', '1:a']).flat(),
    ...['-c:a', 'aac', '-b:a', '96k', '-ac', '2'],
    ...['-c:v', 'libx264', '-preset', 'veryfast', '-profile:v', 'main', '-pix_fmt', 'yuv420p'],
    // A key frame at each start of a segment and nowhere else.
    ...['-g', groupFrames, '-keyint_min', groupFrames, '-sc_threshold', '0'],
  ];
}

const hlsArguments = [
  ...['-f', 'hls', '-hls_time', String(segmentSeconds), '-hls_playlist_type', 'vod'],
  ...['-hls_flags', 'independent_segments', '-master_pl_name', 'master.m3u8', '-y'],
];

// ffmpeg writes paths into playlists as it is given them: relative ones, then, from within the folder.
async function run(ffmpeg: string, args: readonly string[], cwd: string): Promise<void> {
  try {
    await promisify(execFile)(ffmpeg, ['-hide_banner', '-loglevel', 'error', '-nostdin', ...args], { cwd });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') {
      const message = `ffmpeg is not there (looked for "${ffmpeg}"); install it, or name it in FFMPEG_PATH`;
      throw new Error(message, { cause });
    }
    throw cause;
  }
}
