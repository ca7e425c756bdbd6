import { spawn } from 'node:child_process';

export interface ProgramEnd {
  readonly code: number | null;
  /** Standard output and error. */
  readonly output: string;
}

/** A film takes a second or two to be read; a program that waits for something else is ended. */
const defaultLimitMs = 60_000;

/**
 * Runs a program to its end.
 *
 * @param as the user, where the program must not be root: a number, as in /etc/passwd
 * @param cwd where it may write; it is its home, too
 * @param limitMs after which it is ended, and that counts as its end; without it, a program that does not end is an error
 * @throws Error where the program is not there or does not end
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
