import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { AppError } from '@latchkey/shared/errors';
import { failure, refusal } from '../refusal.ts';

interface RunOptions {
  readonly cwd?: string;
  readonly signal: AbortSignal;
}

/** Of what a failed run says, the end is shown: the cause is in its last lines. */
const shownCharacters = 1_000;

/** Runs Shaka Packager. @returns its standard output @throws AppError if it fails, with what it said */
export async function runPackager(
  packager: string,
  args: readonly string[],
  { cwd, signal }: RunOptions,
): Promise<string> {
  signal.throwIfAborted();
  const child = spawn(packager, args, { stdio: ['ignore', 'pipe', 'pipe'], cwd, signal });
  let unstarted: Error | undefined;
  child.once('error', (error) => {
    unstarted = error;
  });
  // Also after a signal or a failed start: a program that still writes would fill the folder that the caller removes.
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [code, output, errors] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  signal.throwIfAborted();
  if (unstarted) throw unstarted;
  if (code === 0) return output;
  const said = hideKeys(errors).trim().slice(-shownCharacters);
  throw failure(`${packager} failed with ${code ?? 'a signal'}: ${said}`);
}

/** No version is known to print a key. A message that may reach a log must not depend on it. */
function hideKeys(text: string): string {
  return text.replace(/key=[0-9a-f]{32}/gi, 'key=***');
}

/** Makes sure that a program of this name is Shaka Packager. @throws AppError `VALIDATION_FAILED` */
export async function checkPackager(packager: string, options: RunOptions): Promise<void> {
  const version = await runPackager(packager, ['--version'], options).catch((cause: unknown) => {
    options.signal.throwIfAborted();
    return String(cause);
  });
  if (!/^packager(-\S+)? version v?\d/m.test(version))
    throw refusal(`${packager} is not Shaka Packager; give the path of its program with --packager`);
}

/** A track of a media file. */
export interface MediaStream {
  /** Its number in the file. */
  readonly index: number;
  /** `video`, `audio`, `text` or another one. */
  readonly kind: string;
}

/** Lists the tracks of a media file. @throws AppError `VALIDATION_FAILED` if it cannot be read, or is encrypted already */
export async function listStreams(
  packager: string,
  path: string,
  options: RunOptions,
): Promise<readonly MediaStream[]> {
  const args = ['--quiet', `in=${path}`, '--dump_stream_info'];
  const report = await runPackager(packager, args, options).catch((cause: unknown) => {
    options.signal.throwIfAborted();
    if (!(cause instanceof AppError)) throw cause;
    throw refusal(`${path} cannot be read as a media file. ${cause.message}`, cause);
  });
  if (/is_encrypted: true/.test(report)) throw refusal(`${path} is encrypted already; give the clear file`);
  const streams = report.matchAll(/^Stream \[(\d+)\] type: (\w+)/gm);
  return Array.from(streams, ([, index, type = '']) => ({ index: Number(index), kind: type.toLowerCase() }));
}
