import { spawn } from 'node:child_process';

export interface ProgramEnd {
  readonly code: number | null;
  /** Standard output and error. */
  readonly output: string;
}

/** To read a film takes a second or two. A program that takes much longer is killed. */
const defaultLimitMs = 60_000;

/**
 * Runs a program to its end.
 *
 * @param as id of the user, for a program that must not run as root
 * @param cwd the folder that it may write to, also its home
 * @param limitMs time after which the program is killed without an error. If it is not given, not to end is an error
 * @throws Error if the program is missing or does not end
 */
export function runProgram(
  program: string,
  args: readonly string[],
  { cwd, as, limitMs }: { cwd: string; as?: number | undefined; limitMs?: number | undefined },
): Promise<ProgramEnd> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env: { PATH: process.env.PATH, HOME: cwd, XDG_RUNTIME_DIR: cwd },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(as !== undefined && { uid: as, gid: as }),
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    const timer = setTimeout(() => child.kill('SIGKILL'), limitMs ?? defaultLimitMs);
    child.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      if (signal && limitMs === undefined) reject(new Error(`${program} was ended by ${signal}:\n${output}`));
      else resolve({ code, output });
    });
  });
}
