import { existsSync } from 'node:fs';
import { runProgram } from './run-program.ts';

/** How many pictures ffmpeg decodes from a file that a player has written; 0 where there is no file or nothing in it. */
export async function countPictures(ffmpeg: string, file: string, cwd: string): Promise<number> {
  if (!existsSync(file)) return 0;
  const args = ['-hide_banner', '-nostdin', '-loglevel', 'error', '-i', file, '-map', '0:v'];
  const { output } = await runProgram(ffmpeg, [...args, '-f', 'framehash', '-'], { cwd });
  return output.split('\n').filter((line) => /^\d+,/.test(line)).length;
}
