import { spawn } from 'node:child_process';
import { chownSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** A server of one run, on a loopback port, with its files in a folder of the same lifetime. */
export interface ServerProgram {
  url: string;
  /** Process id of the server itself. */
  pid: number;
  port: number;
  folder: string;
  /** Ends it if it still runs, and removes its folder unless the caller passed one. */
  stop(): Promise<void>;
}

export interface ServerProgramOptions {
  program: string;
  args: readonly string[];
  port: number;
  folder: string;
  url: string;
  /** Text in its log once it accepts connections. */
  readyLine: RegExp;
  endSignal: 'KILL' | 'QUIT' | 'TERM';
  /** The user to run as; by default this process's own. */
  uid?: number | undefined;
  removesFolder: boolean;
}

const startTimeoutMs = 60_000;
/**
 * Starts the program, prints its process id, and ends it when standard input ends, so always with this process. $0 is the
 * log, $1 the signal, $2 whether the folder is removed too, the rest is the command.
 */
const guard = `s=$1; r=$2; shift 2; "$@" </dev/null >"$0" 2>&1 & p=$!; echo $p; cat >/dev/null
kill -CONT $p; kill -$s $p; wait $p; if [ $r = yes ]; then rm -rf "$PWD"; fi`;

/** @throws Error with the end of its log if it does not start */
export async function startServerProgram(options: ServerProgramOptions): Promise<ServerProgram> {
  const { program, args, port, folder, url, readyLine, endSignal, uid, removesFolder } = options;
  const log = join(folder, 'server.log');
  writeFileSync(log, '');
  if (uid !== undefined) chownSync(log, uid, uid);
  // Detached, so that Ctrl-C reaches only the tests, which then stop their servers.
  const child = spawn('sh', ['-c', guard, log, endSignal, removesFolder ? 'yes' : 'no', program, ...args], {
    stdio: ['pipe', 'pipe', 'ignore'],
    cwd: folder,
    detached: true,
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  child.once('error', () => {});
  child.stdin.on('error', () => {});
  const stop = async () => {
    child.stdin.end();
    await ended;
  };

  const pid = await new Promise<number>((resolve) => {
    child.stdout.once('data', (line: Buffer) => resolve(Number(line)));
    void ended.then(() => resolve(0));
  });
  const limitMs = performance.now() + startTimeoutMs;
  for (let said = ''; !readyLine.test(said); said = readFileSync(log, 'utf8')) {
    if (performance.now() > limitMs || !isRunning(pid)) {
      await stop();
      throw new Error(`${program} did not start: ${said.slice(-500)}`);
    }
    await pause(20);
  }
  return { url, pid, port, folder, stop };
}

function isRunning(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    // A process of another user is also alive.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** A folder for the files of one server. */
export function makeServerFolder(uid?: number, parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, 'latchkey-server-'));
  if (uid !== undefined) chownSync(folder, uid, uid);
  return folder;
}
