import type { ChildProcess } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { singleNodeEntry } from '../stack/topology.ts';
import { type Environment, spawnEntry } from './spawn-entry.ts';

/** A start takes a second. The rest is for a busy machine. */
const startLimitMs = 60_000;
const listening = /serves on (http:\/\/[^\s"]+)/;

/** The output of a process so far. */
export interface ServerOutput {
  stdout(): string;
  stderr(): string;
}

export interface ServerProcess extends ServerOutput {
  readonly pid: number;
  /**
   * Resolves with the base URL once the server logs its address. Rejects with its output if the server does not start.
   *
   * @param signal rejects the promise with its reason, and leaves the process running
   */
  listens(signal?: AbortSignal): Promise<string>;
  /** Resolves when the process has ended and all of its output has been read. */
  ended(): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  kill(signal: NodeJS.Signals): void;
}

export interface SingleNodeOptions {
  /** The working folder of the process. */
  folder: string;
  /** In addition to PATH and HOME. No other variable of this process's environment is passed on. */
  env: Environment;
  /** Receives all output. `stdout()` and `stderr()` then hold only the start's output, so that a long run needs no memory. */
  logFile?: string;
  /** Receives each piece of output. */
  onOutput?(stream: 'stdout' | 'stderr', text: string): void;
}

/** Starts the single node. It always ends with this process. */
export function startSingleNodeProcess(options: SingleNodeOptions): ServerProcess {
  const { folder, env, logFile, onOutput } = options;
  const child = spawnEntry({
    entry: singleNodeEntry,
    folder,
    env: { HOME: folder, ...env },
    output: ['pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  const log = logFile === undefined ? null : createWriteStream(logFile);
  for (const name of ['stdout', 'stderr'] as const) {
    if (log) child[name]?.pipe(log, { end: false });
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      onOutput?.(name, text);
      if (log && listening.test(output.stderr)) return;
      output[name] += text;
    });
  }
  const closed = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  const ended = closed.then(async (end) => {
    log?.end();
    if (log) await finished(log);
    return end;
  });
  return {
    pid: child.pid ?? 0,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    listens: (signal) => waitForUrl(child, () => output.stderr, signal),
    ended: () => ended,
    kill: (signal) => void child.kill(signal),
  };
}

function waitForUrl(child: ChildProcess, stderr: () => string, signal?: AbortSignal): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const look = () => {
    const url = listening.exec(stderr())?.[1];
    if (url) resolve(url);
  };
  const fail = () => reject(new Error(`The server did not start. It wrote:\n${stderr().trim()}`));
  const interrupt = () => reject(signal?.reason);
  const timer = setTimeout(() => {
    child.kill('SIGKILL');
    fail();
  }, startLimitMs);
  child.stderr?.on('data', look);
  child.once('close', fail);
  signal?.addEventListener('abort', interrupt);
  if (signal?.aborted) interrupt();
  look();
  return promise.finally(() => {
    clearTimeout(timer);
    child.stderr?.off('data', look);
    child.off('close', fail);
    signal?.removeEventListener('abort', interrupt);
  });
}
