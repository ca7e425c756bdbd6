import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export const ffmpeg = process.env.FFMPEG_PATH ?? 'ffmpeg';

/** The pictures and sound that ffmpeg decoded. */
export interface DecodedVideo {
  /** Pictures of all video renditions together. */
  readonly pictures: number;
  /** Time and hash of each picture and each piece of sound, sorted. */
  readonly frames: readonly string[];
}

/**
 * Decodes every rendition to its end with ffmpeg. Any error is a failure (`-xerror`), and so is a refused key.
 *
 * @param url a path, or a URL
 * @param headers sent with every request
 */
export async function decodeVideo(
  ffmpeg: string,
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<DecodedVideo> {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const sent = lines.length === 0 ? [] : ['-headers', lines.join('')];
  const quiet = ['-hide_banner', '-nostdin', '-loglevel', 'error', '-xerror'];
  const { stdout, stderr } = await promisify(execFile)(
    ffmpeg,
    [...quiet, ...sent, '-i', url, '-map', '0:v', '-map', '0:a', '-f', 'framehash', '-'],
    { maxBuffer: 64 * 1024 * 1024 },
  );
  if (stderr !== '') throw new Error(`ffmpeg wrote: ${stderr}`);
  const videoStreams = [...stdout.matchAll(/^#media_type (\d+): video$/gm)].map(([, stream]) => stream);
  const frames = stdout.split('\n').filter((line) => /^\d/.test(line));
  const pictures = frames.filter((line) => videoStreams.includes(line.split(',')[0])).length;
  return { pictures, frames: frames.sort() };
}
