import { execFile } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** Pictures a second of the I-frame playlist: as far apart as fast forward shows them. */
const picturesPerSecond = 0.5;

/**
 * Adds an I-frame playlist to a clear presentation: one file of fMP4, of which each picture is a byte range.
 *
 * @param playlist path of the multivariant playlist, which gets an EXT-X-I-FRAME-STREAM-INF
 */
export async function addIFrames(ffmpeg: string, playlist: string, seconds: number): Promise<void> {
  const folder = join(dirname(playlist), 'i-frames');
  mkdirSync(folder);
  const picture = `testsrc2=size=160x90:rate=${picturesPerSecond}:duration=${seconds}`;
  const encoding = ['-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-g', '1', '-profile:v', 'main'];
  const output = ['-f', 'hls', '-hls_time', '1', '-hls_segment_type', 'fmp4', '-hls_flags', 'single_file'];
  await promisify(execFile)(
    ffmpeg,
    [
      ...['-hide_banner', '-nostdin', '-loglevel', 'error', '-f', 'lavfi', '-i', picture],
      ...[...encoding, ...output, '-hls_playlist_type', 'vod', 'index.m3u8'],
    ],
    { cwd: folder },
  );
  const path = join(folder, 'index.m3u8');
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.replace('#EXT-X-TARGETDURATION', '#EXT-X-I-FRAMES-ONLY\n#EXT-X-TARGETDURATION'));
  const attributes = 'BANDWIDTH=20000,RESOLUTION=160x90,CODECS="avc1.4d400b"';
  appendFileSync(playlist, `#EXT-X-I-FRAME-STREAM-INF:${attributes},URI="i-frames/index.m3u8"\n`);
}
