import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { clockScene, testPictureScene } from '@latchkey/support/video/clock-scene';
import { type MadeVideo, makeVideo, videoCommands } from '@latchkey/support/video/make-video';
import { periodSeconds } from './presentations.ts';
import type { Progress } from './progress.ts';

export interface PrepareVideoOptions {
  readonly ffmpeg: string;
  readonly seconds: number;
  /** Keeps the videos of earlier runs. */
  readonly cacheFolder: string;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** Makes the clear video, or uses that of an earlier run if ffmpeg would get the same arguments. */
export async function prepareVideo(options: PrepareVideoOptions): Promise<MadeVideo> {
  const { ffmpeg, seconds, cacheFolder, progress, signal } = options;
  const step = progress.start(`Making ${seconds} seconds of video`);
  const clock = { seconds, periodSeconds };
  const scene = (await clockScene(ffmpeg, clock)) ?? testPictureScene(clock);
  signal.throwIfAborted();
  const hash = createHash('sha256')
    .update(JSON.stringify(videoCommands(scene)))
    .digest('hex');
  const folder = join(cacheFolder, `video-${hash.slice(0, 16)}`);
  if (existsSync(folder)) {
    step.done('kept from an earlier run');
  } else {
    await mkdir(cacheFolder, { recursive: true });
    const partial = await mkdtemp(join(cacheFolder, 'partial-'));
    try {
      await makeVideo({ ffmpeg, folder: partial, seconds, scene, report: step.report, signal });
      // The rename makes it appear complete. If another run was faster, its video is the same.
      await rename(partial, folder).catch((error) => {
        if (!existsSync(folder)) throw error;
      });
    } finally {
      await rm(partial, { recursive: true, force: true });
    }
    step.done();
  }
  return { ts: join(folder, 'ts', 'master.m3u8'), fmp4: join(folder, 'fmp4', 'master.m3u8') };
}
