import { type MadeVideo, makeVideo } from '@latchkey/rig/video/make-video';

export const ffmpeg = process.env.FFMPEG_PATH ?? 'ffmpeg';

/** A video of small pictures, because the encoder and the decoder are not what is tested. Each rendition has its own width. */
export function makeSmallVideo(folder: string, seconds: number): Promise<MadeVideo> {
  const scene = {
    picture: `testsrc2=size=320x180:rate=25:duration=${seconds}`,
    sound: `sine=frequency=440:sample_rate=48000:duration=${seconds}`,
    renditions: [
      { size: '320x180', bitrate: '200k' },
      { size: '160x90', bitrate: '60k' },
    ],
  };
  return makeVideo({ ffmpeg, folder, seconds, scene });
}
