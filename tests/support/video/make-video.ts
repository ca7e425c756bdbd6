import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runFfmpeg } from './run-ffmpeg.ts';

/** Picture and sound, as sources of ffmpeg's libavfilter with an end. */
export interface Scene {
  /** 25 frames a second, at least as large as the first rendition. */
  readonly picture: string;
  readonly sound: string;
  /** The largest first. Sizes as `640x360`, bit rates as ffmpeg takes them. */
  readonly renditions: readonly { readonly size: string; readonly bitrate: string }[];
}

export interface VideoOptions {
  /** Path or name of the ffmpeg program; it needs libx264 and aac. */
  readonly ffmpeg: string;
  /** The folder for `ts/` and `fmp4/`; it is created if it is missing. */
  readonly folder: string;
  readonly seconds: number;
  /** Default: a moving test picture and a tone. */
  readonly scene?: Scene;
}

/** The paths of two multivariant playlists of the same video, absolute or relative as `folder` was. */
export interface MadeVideo {
  /** MPEG-TS segments, sound and picture together. */
  readonly ts: string;
  /** Fragmented MP4 segments with EXT-X-MAP, sound as a rendition of its own (EXT-X-MEDIA). */
  readonly fmp4: string;
}

/** Frames per second: enough for smooth motion, few enough to encode quickly. */
export const frameRate = 25;
/** Seconds of a group of pictures and of a segment. */
export const segmentSeconds = 2;

/**
 * Makes a video as clear HLS with two video renditions.
 *
 * @throws Error if ffmpeg is missing, or with its output if it fails
 */
export async function makeVideo(options: VideoOptions): Promise<MadeVideo> {
  const { ffmpeg, folder, seconds, scene = testScene(seconds) } = options;
  await mkdir(folder, { recursive: true });
  // ffmpeg writes paths into playlists as it gets them, so they are relative to the folder.
  for (const args of videoCommands(scene)) await runFfmpeg(ffmpeg, args, { cwd: folder });
  return { ts: join(folder, 'ts', 'master.m3u8'), fmp4: join(folder, 'fmp4', 'master.m3u8') };
}

/** The arguments of the two runs of ffmpeg. The same arguments make the same video. */
export function videoCommands(scene: Scene): string[][] {
  const { renditions } = scene;
  const together = renditions.map((_, index) => `v:${index},a:${index}`);
  const apart = renditions.map((_, index) => `v:${index},agroup:sound`);
  return [
    [
      ...encodeArguments(scene, renditions.length),
      ...['-hls_segment_filename', 'ts/%v/segment-%03d.ts'],
      ...['-var_stream_map', together.join(' '), 'ts/%v/index.m3u8'],
    ],
    [
      ...encodeArguments(scene, 1),
      ...['-hls_segment_type', 'fmp4', '-hls_segment_filename', 'fmp4/%v/segment-%03d.m4s'],
      ...['-var_stream_map', `${apart.join(' ')} a:0,agroup:sound,default:yes`, 'fmp4/%v/index.m3u8'],
    ],
  ];
}

/** A moving test picture and a tone. */
function testScene(seconds: number): Scene {
  return {
    picture: `testsrc2=size=640x360:rate=${frameRate}:duration=${seconds}`,
    sound: `sine=frequency=440:sample_rate=48000:duration=${seconds}`,
    renditions: [
      { size: '640x360', bitrate: '600k' },
      { size: '320x180', bitrate: '200k' },
    ],
  };
}

/** @param sounds how often the sound is encoded: once for each rendition that carries it with its picture */
function encodeArguments({ picture, sound, renditions }: Scene, sounds: number): string[] {
  const groupFrames = String(frameRate * segmentSeconds);
  const scaled = renditions.map(({ size }, index) => `[p${index}]scale=${size}[v${index}]`);
  const labels = renditions.map((_, index) => `[p${index}]`).join('');
  return [
    ...['-f', 'lavfi', '-i', picture, '-f', 'lavfi', '-i', sound],
    ...['-filter_complex', `[0:v]split=${renditions.length}${labels};${scaled.join(';')}`],
    ...renditions.flatMap(({ bitrate }, index) => ['-map', `[v${index}]`, `-b:v:${index}`, bitrate]),
    ...Array.from({ length: sounds }, () => ['-map', '1:a']).flat(),
    ...['-c:a', 'aac', '-b:a', '96k', '-ac', '2'],
    ...['-c:v', 'libx264', '-preset', 'veryfast', '-profile:v', 'main', '-pix_fmt', 'yuv420p'],
    // A key frame at each start of a segment and nowhere else.
    ...['-g', groupFrames, '-keyint_min', groupFrames, '-sc_threshold', '0'],
    ...['-f', 'hls', '-hls_time', String(segmentSeconds), '-hls_playlist_type', 'vod'],
    ...['-hls_flags', 'independent_segments', '-master_pl_name', 'master.m3u8', '-y'],
  ];
}
