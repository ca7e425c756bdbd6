import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { repositoryFolder } from '../repository.ts';

const compileCache = join(repositoryFolder, '.cache/compile');
const readyLimitMs = 120_000;
const lookEveryMs = 100;

/** One process of Latchkey, which always comes back on its port. */
export interface ProfileProcess {
  name: string;
  url: string;
  /** @param code the folder of the repository, or of another release's */
  start(code: string): void;
  /** What `/ready` shows of each dependency. Rejects where it is not ready in time. */
  waitReady(): Promise<Dependencies>;
  /** Sends the signal and waits until the process is gone. @returns its exit code; null where a signal ended it */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

export type Dependencies = Record<string, { status: string } & Record<string, unknown>>;

export interface ProfileProcessOptions {
  name: string;
  /** From the root of the repository. */
  entry: string;
  port: number;
  /** Beside PATH and HOME: nothing else of this process's environment is passed on. */
  env: Readonly<Record<string, string | undefined>>;
  /** Receives what the process writes; where it is left out, standard error is this process's own. */
  onOutput?: (name: string, stream: 'stdout' | 'stderr', text: string) => void;
}

export function createProfileProcess(options: ProfileProcessOptions): ProfileProcess {
  const { name, entry, port, env, onOutput } = options;
  const url = `http://127.0.0.1:${port}`;
  let child: ChildProcess | null = null;
  return {
    name,
    url,
    start(code) {
      child = spawn(process.execPath, [join(code, entry)], {
        cwd: code,
        // Through the open channel it learns that this process is gone, and ends too.
        stdio: onOutput ? ['ignore', 'pipe', 'pipe', 'ipc'] : ['ignore', 'ignore', 'inherit', 'ipc'],
        env: {
          PATH: process.env.PATH,
          HOME: process.env.HOME,
          // A start takes half of its processor time where the compiled code is kept.
          NODE_COMPILE_CACHE: compileCache,
          HOST: '127.0.0.1',
          METRICS_HOST: '127.0.0.1',
          METRICS_PORT: '0',
          LOG_LEVEL: 'error',
          ...env,
          PORT: String(port),
        },
      });
      child.on('error', () => {});
      for (const stream of ['stdout', 'stderr'] as const) {
        child[stream]?.setEncoding('utf8').on('data', (text: string) => onOutput?.(name, stream, text));
      }
      child.channel?.unref();
    },
    waitReady: () => waitReady(name, url, () => child?.exitCode ?? null),
    async end(signal) {
      if (!child) return null;
      if (child.exitCode === null && child.signalCode === null) {
        // `close` and not `exit`: everything that it wrote has been read then.
        const gone = once(child, 'close');
        child.kill(signal);
        await gone;
      }
      return child.exitCode;
    },
  };
}

async function waitReady(name: string, url: string, exitCode: () => number | null): Promise<Dependencies> {
  const limitMs = performance.now() + readyLimitMs;
  let last = 'no answer';
  while (performance.now() < limitMs) {
    if (exitCode() !== null) throw new Error(`${name} ended with ${exitCode()}`);
    try {
      const answer = await fetch(`${url}/ready`);
      const text = await answer.text();
      if (answer.ok) return JSON.parse(text).dependencies;
      last = text;
    } catch {
      // Not listening yet.
    }
    await pause(lookEveryMs);
  }
  throw new Error(`${name} was not ready after ${readyLimitMs} ms: ${last}`);
}
