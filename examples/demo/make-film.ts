import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { videoCommands } from '@latchkey/support/video/make-video';
import { runFfmpeg } from '@latchkey/support/video/run-ffmpeg';
import { drawScene } from './clock-scene.ts';

export interface FilmOptions {
  readonly ffmpeg: string;
  readonly seconds: number;
  readonly periodSeconds: number;
  readonly signal: AbortSignal;
}

/** Keeps the films of earlier runs. */
const cacheFolder = join(import.meta.dirname, '../../.cache/demo');

/**
 * Makes the clear film, or uses the film of an earlier run if ffmpeg would get the same arguments.
 *
 * @returns its multivariant playlist
 */
export async function makeFilm({ ffmpeg, seconds, periodSeconds, signal }: FilmOptions): Promise<string> {
  const scene = await drawScene(ffmpeg, { seconds, periodSeconds });
  // The first command makes MPEG-TS, in two renditions.
  const [args = []] = videoCommands(scene);
  const hash = createHash('sha256').update(JSON.stringify(args)).digest('hex');
  const folder = join(cacheFolder, `film-${hash.slice(0, 16)}`);
  if (!existsSync(folder)) {
    await mkdir(cacheFolder, { recursive: true });
    const partial = await mkdtemp(join(cacheFolder, 'partial-'));
    try {
      await runFfmpeg(ffmpeg, args, { cwd: partial, signal });
      // The rename makes it appear complete. If another run was faster, its film is the same.
      await rename(partial, folder).catch((error) => {
        if (!existsSync(folder)) throw error;
      });
    } finally {
      await rm(partial, { recursive: true, force: true });
    }
  }
  return join(folder, 'ts/master.m3u8');
}
