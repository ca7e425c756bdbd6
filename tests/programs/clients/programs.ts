import { chownSync, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '@latchkey/support/black-box/server-process';
import { ffmpeg } from './client-setup.ts';
import { countPictures } from './count-pictures.ts';
import { runProgram } from './run-program.ts';

/** Plays a URL without any option about keys. @returns the pictures that it showed */
type Play = (url: string, limitMs?: number) => Promise<number>;

/** VLC refuses to run as root. On Debian this is the number of `nobody`. */
const nobody = process.getuid?.() === 0 ? 65534 : undefined;
/** A picture of 320 x 180 in I420: one byte for the brightness of each point, and half a byte for its colour. */
const pictureBytes = (320 * 180 * 3) / 2;

async function inOwnFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = makeFolder();
  try {
    if (nobody !== undefined) chownSync(folder.path, nobody, nobody);
    return await work(folder.path);
  } finally {
    folder.remove();
  }
}

const countIn = async (file: string, cwd: string) =>
  existsSync(file) ? countPictures(ffmpeg, file, cwd) : 0;

const { MPV_PATH = '', VLC_PATH = '', GST_LAUNCH_PATH = '' } = process.env;

/** Programs that take a URL and nothing else. A path that is empty is of a program that is not here. */
export const programs: Readonly<
  Record<'ffmpeg' | 'mpv' | 'VLC' | 'GStreamer', { path: string; play: Play }>
> = {
  ffmpeg: {
    path: ffmpeg,
    play: (url, limitMs) =>
      inOwnFolder(async (cwd) => {
        const file = join(cwd, 'played.mkv');
        const args = ['-hide_banner', '-nostdin', '-loglevel', 'error', '-i', url];
        const output = ['-map', '0:v:0', '-c:v', 'mpeg4', '-flush_packets', '1', file];
        await runProgram(ffmpeg, [...args, ...output], { cwd, limitMs });
        return countIn(file, cwd);
      }),
  },
  mpv: {
    path: MPV_PATH,
    play: (url, limitMs) =>
      inOwnFolder(async (cwd) => {
        const file = join(cwd, 'played.mkv');
        const output = ['--no-audio', '--of=matroska', '--ovc=mpeg4', `--o=${file}`];
        await runProgram(MPV_PATH, ['--no-config', '--really-quiet', ...output, url], { cwd, limitMs });
        return countIn(file, cwd);
      }),
  },
  VLC: {
    path: VLC_PATH,
    play: (url, limitMs) =>
      inOwnFolder(async (cwd) => {
        const file = join(cwd, 'played.ts');
        const output = `#std{access=file,mux=ts,dst=${file}}`;
        const args = ['-I', 'dummy', '--quiet', '--sout', output, url, 'vlc://quit'];
        await runProgram(VLC_PATH, args, { cwd, as: nobody, limitMs });
        return countIn(file, cwd);
      }),
  },
  GStreamer: {
    path: GST_LAUNCH_PATH,
    play: (url, limitMs) =>
      inOwnFolder(async (cwd) => {
        const file = join(cwd, 'played.raw');
        const video = ['film.', '!', 'queue', '!', 'videoconvert', '!', 'video/x-raw,format=I420'];
        // Without its own handler of faults, which waits for a debugger.
        const args = ['-q', '--no-fault', 'uridecodebin', `uri=${url}`, 'name=film', ...video];
        await runProgram(GST_LAUNCH_PATH, [...args, '!', 'filesink', `location=${file}`], { cwd, limitMs });
        return existsSync(file) ? statSync(file).size / pictureBytes : 0;
      }),
  },
};
