import { existsSync } from 'node:fs';
import { runProgram } from './run-program.ts';

/** A player may begin another stream of the file after a break: ffmpeg looks through these bytes and microseconds. */
const lookFar = ['-probesize', '50000000', '-analyzeduration', '100000000'];

/** How many pictures ffmpeg decodes from a file that a player has written; 0 if there is no file or nothing in it. */
export async function countPictures(ffmpeg: string, file: string, cwd: string): Promise<number> {
  if (!existsSync(file)) return 0;
  const args = ['-hide_banner', '-nostdin', '-loglevel', 'error', ...lookFar, '-i', file, '-map', '0:v'];
  const { output } = await runProgram(ffmpeg, [...args, '-f', 'framehash', '-'], { cwd });
  return output.split('\n').filter((line) => /^\d+,/.test(line)).length;
}
