import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryFolder } from '../repository.ts';
import { type MadeVideo, makeVideo } from '../video/make-video.ts';

/** Three epochs of two segments, and enough to play on for half a minute. */
const secondsOf = { short: 12, long: 48 };
export type VideoLength = keyof typeof secondsOf;
export const videoLengths = Object.keys(secondsOf) as VideoLength[];

/** Small pictures, because the decoder is not what is tested. Each rendition has its own width. */
const renditions = [
  { size: '320x180', bitrate: '200k' },
  { size: '160x90', bitrate: '60k' },
];

export function makePlayerVideo(folder: string, length: VideoLength): Promise<MadeVideo> {
  const seconds = secondsOf[length];
  const scene = {
    picture: `testsrc2=size=320x180:rate=25:duration=${seconds}`,
    sound: `sine=frequency=440:sample_rate=48000:duration=${seconds}`,
    renditions,
  };
  return makeVideo({ ffmpeg: process.env.FFMPEG_PATH ?? 'ffmpeg', folder, seconds, scene });
}

/** Builds the package of the player as it is published. @returns its folder, `folder` */
export async function buildPlayer(folder: string): Promise<string> {
  const build = join(repositoryFolder, 'sdk/player/build.ts');
  await promisify(execFile)(process.execPath, [build, folder]);
  return folder;
}
