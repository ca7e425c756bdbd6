import { spawn } from 'node:child_process';

export interface FfmpegRun {
  readonly cwd?: string;
  /** Ends the program. */
  readonly signal?: AbortSignal;
}

/** Enough to explain a failure; a failing run can repeat the same line for every frame. */
const stderrCharacters = 4_000;

/**
 * Runs ffmpeg to its end.
 *
 * @throws Error if it is missing, with its output if it fails, or the reason of the signal
 */
export async function runFfmpeg(ffmpeg: string, args: readonly string[], run: FfmpegRun = {}): Promise<void> {
  const { cwd, signal } = run;
  const quiet = ['-hide_banner', '-loglevel', 'error', '-nostdin'];
  const child = spawn(ffmpeg, [...quiet, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(cwd !== undefined && { cwd }),
    ...(signal && { signal }),
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(0, stderrCharacters);
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  child.on('error', (cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ENOENT') return reject(signal?.aborted ? signal.reason : cause);
    const message = `ffmpeg is not there (looked for "${ffmpeg}"): install it, or set FFMPEG_PATH to its path`;
    reject(new Error(message, { cause }));
  });
  child.on('close', (code, killedBy) => {
    if (code === 0) resolve();
    else reject(new Error(`ffmpeg failed (${code ?? killedBy}): ${stderr.trim()}`));
  });
  await promise;
}
