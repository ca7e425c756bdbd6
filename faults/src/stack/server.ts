import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const root = join(import.meta.dirname, '..', '..', '..');
/** A start takes 2 s; the rest is for a machine that does ten times as much as it has cores. */
const startTimeoutMs = 90_000;
/** Above the 2 s that a server gives its own checks. */
const lookTimeoutMs = 3_000;

/** Of a server's log, where it fails to start. */
const shownLines = 5;

/** One process of Latchkey, which always comes back on its port. */
export interface Server {
  name: string;
  url: string;
  start(): void;
  /** @throws Error where it was never started */
  pid(): number;
  isRunning(): boolean;
  isReady(): Promise<boolean>;
  /** Whether it is ready and has what it can do without, too: the bus, the shared cache, and of a gateway every service. */
  isWhole(): Promise<boolean>;
  /** @throws Error where `/ready` does not answer 200 in time */
  waitReady(): Promise<void>;
  /** @throws Error where it is not whole in time */
  waitWhole(): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  /** Sends the signal and waits until the process is gone. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

export interface ServerOptions {
  name: string;
  /** From the root of the repository. */
  entry: string;
  port: number;
  env: Readonly<Record<string, string>>;
  /** Takes what it writes to standard error, for whoever looks into a failure. */
  folder: string;
}

export function createServer({ name, entry, port, env, folder }: ServerOptions): Server {
  let child: ChildProcess | null = null;
  const url = `http://127.0.0.1:${port}`;
  const errors = openSync(join(folder, `${name}.log`), 'a');

  const isRunning = () => child !== null && child.exitCode === null && child.signalCode === null;
  const lastLines = () =>
    readFileSync(join(folder, `${name}.log`), 'utf8')
      .trim()
      .split('\n')
      .slice(-shownLines)
      .join('\n');

  async function look(): Promise<{ ready: boolean; whole: boolean }> {
    try {
      const answer = await fetch(`${url}/ready`, { signal: AbortSignal.timeout(lookTimeoutMs) });
      const { dependencies = {} } = (await answer.json()) as {
        dependencies?: Record<string, { status: string }>;
      };
      const ready = answer.status === 200;
      return { ready, whole: ready && Object.values(dependencies).every(({ status }) => status === 'up') };
    } catch {
      return { ready: false, whole: false };
    }
  }

  async function waitUntil(state: 'ready' | 'whole'): Promise<void> {
    const limitMs = performance.now() + startTimeoutMs;
    while (!(await look())[state]) {
      const isGone = !isRunning();
      if (isGone || performance.now() > limitMs) {
        const fault = isGone ? 'is not running' : `was not ${state} within ${startTimeoutMs} ms`;
        throw new Error(`${name} ${fault}. Its last lines:\n${lastLines()}`);
      }
      await sleep(50);
    }
  }

  return {
    name,
    url,
    pid() {
      if (child?.pid === undefined) throw new Error(`${name} was never started`);
      return child.pid;
    },
    isRunning,
    isReady: async () => (await look()).ready,
    isWhole: async () => (await look()).whole,
    waitReady: () => waitUntil('ready'),
    waitWhole: () => waitUntil('whole'),
    start() {
      child = spawn(process.execPath, [join(root, entry)], {
        cwd: folder,
        env: { ...env, PORT: String(port), HOST: '127.0.0.1', METRICS_PORT: '0', METRICS_HOST: '127.0.0.1' },
        // Through the open channel it learns that this process is gone, and ends too.
        stdio: ['ignore', 'ignore', errors, 'ipc'],
      });
      child.on('error', () => {});
      child.channel?.unref();
      child.unref();
    },
    signal: (signal) => void child?.kill(signal),
    async end(signal) {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.ref();
      child.kill(signal);
      // A paused process hears no more than SIGKILL.
      if (signal !== 'SIGKILL') child.kill('SIGCONT');
      await gone;
    },
  };
}

/** Runs a command of the repository to its end. */
export async function runEntry(entry: string, args: string[], env: Record<string, string>): Promise<void> {
  const child = spawn(process.execPath, [join(root, entry), ...args], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${entry} ${args.join(' ')} ended with ${code}`);
}
