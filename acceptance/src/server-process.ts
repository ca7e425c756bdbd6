import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const entryFile = fileURLToPath(new URL('../../gateway/src/single-node.ts', import.meta.url));
/** Compiled code of the servers that tests start: a start then takes half of its processor time. */
const compileCache = fileURLToPath(new URL('../../.cache/compile', import.meta.url));
/** A start takes a second; this is for a machine that is busy with everything else. */
const startTimeoutMs = 60_000;
const listening = /serves on (http:\/\/[^\s"]+)/;

export type Environment = Readonly<Record<string, string | undefined>>;

/** The single node as a process: what it writes, how it ends. */
export interface ServerProcess {
  readonly pid: number;
  stdout(): string;
  stderr(): string;
  /** Resolves with the base URL once the server says where it listens. Rejects, with what it wrote, where it does not. */
  listens(): Promise<string>;
  /** Resolves when the process has ended and everything it wrote has been read. */
  ended(): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  kill(signal: NodeJS.Signals): void;
}

/** A folder for one server, gone with `remove`. */
export function makeFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'latchkey-acceptance-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/**
 * Starts the single node on the Node that runs the tests. It gets the given variables and nothing of the tests' own
 * environment, and ends when the tests' process does.
 *
 * @param folder the working folder of the process
 */
export function startProcess(folder: string, env: Environment): ServerProcess {
  const child = spawn(process.execPath, [entryFile], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      NODE_COMPILE_CACHE: compileCache,
      ...giveDatabase(folder, env),
    },
    // The channel is how the server learns that whoever started it is gone.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  child.channel?.unref();
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  return {
    pid: child.pid ?? 0,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    listens: () => waitForUrl(child, () => output.stderr),
    ended: () => ended,
    kill: (signal) => void child.kill(signal),
  };
}

/**
 * `TEST_DATABASE_FILE` names a SQLite file that another release has migrated: a server that would make a database starts
 * on a copy of that one, and is told to leave its schema alone.
 */
function giveDatabase(folder: string, env: Environment): Environment {
  const given = process.env.TEST_DATABASE_FILE;
  if (!given || env.DATABASE_URL) return env;
  const path = resolve(folder, env.SQLITE_PATH ?? 'data/latchkey.db');
  if (!existsSync(path)) {
    mkdirSync(dirname(path), { recursive: true });
    copyFileSync(given, path);
  }
  return { MIGRATE_ON_START: 'false', ...env };
}

function waitForUrl(child: ChildProcess, stderr: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      clearTimeout(timer);
      child.stderr?.off('data', look);
      child.off('close', fail);
      act();
    };
    const look = () => {
      const url = listening.exec(stderr())?.[1];
      if (url) settle(() => resolve(url));
    };
    const fail = () => settle(() => reject(new Error(`The server did not start. It wrote:\n${stderr()}`)));
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      fail();
    }, startTimeoutMs);
    child.stderr?.on('data', look);
    child.once('close', fail);
    look();
  });
}
