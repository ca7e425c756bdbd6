import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

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
  /** Sends the signal and waits until the process is gone. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

export type Dependencies = Record<string, { status: string } & Record<string, unknown>>;

export interface ProfileProcessOptions {
  name: string;
  /** From the root of the repository. */
  entry: string;
  port: number;
  env: Readonly<Record<string, string | undefined>>;
}

export function createProfileProcess({ name, entry, port, env }: ProfileProcessOptions): ProfileProcess {
  const url = `http://127.0.0.1:${port}`;
  let child: ChildProcess | null = null;
  return {
    name,
    url,
    start(code) {
      child = spawn(process.execPath, [join(code, entry)], {
        cwd: code,
        // Through the open channel it learns that this process is gone, and ends too.
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
        env: {
          ...process.env,
          HOST: '127.0.0.1',
          METRICS_HOST: '127.0.0.1',
          METRICS_PORT: '0',
          LOG_LEVEL: 'error',
          ...env,
          PORT: String(port),
        },
      });
      child.on('error', () => {});
      child.channel?.unref();
    },
    waitReady: () => waitReady(name, url),
    async end(signal) {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill(signal);
      await gone;
    },
  };
}

async function waitReady(name: string, url: string): Promise<Dependencies> {
  const limitMs = performance.now() + readyLimitMs;
  let last = 'no answer';
  while (performance.now() < limitMs) {
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
