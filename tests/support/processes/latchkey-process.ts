import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { type Environment, type SpawnOptions, spawnEntry } from './spawn-entry.ts';

/** A start takes 2 s. The rest is for a machine with ten times as much work as cores. */
const startLimitMs = 120_000;
/** Above the 2 s limit of a server's own checks. */
const readyRequestLimitMs = 3_000;
const askEveryMs = 50;
/** Log lines in the error of a process that does not start. */
const shownLines = 5;

/** One process of Latchkey, or another server of this repository. It keeps the same port over restarts. */
export interface LatchkeyProcess {
  name: string;
  url: string;
  /**
   * @param code root folder of another release; this repository by default
   * @param changed variables that replace the earlier ones for this start
   */
  start(code?: string, changed?: Environment): void;
  /** @throws Error if it was never started */
  pid(): number;
  isRunning(): boolean;
  isReady(): Promise<boolean>;
  /** Whether it is ready and every dependency is up, including the optional ones. */
  isWhole(): Promise<boolean>;
  /** @throws Error if `/health` does not answer 200 in time */
  waitHealthy(): Promise<void>;
  /**
   * @returns the state of each dependency in `/ready`
   * @throws Error if it does not answer 200 in time
   */
  waitReady(): Promise<Dependencies>;
  /** @throws Error if a dependency is not up in time */
  waitWhole(): Promise<Dependencies>;
  signal(signal: NodeJS.Signals): void;
  /** Sends the signal and waits until the process is gone. @returns its exit code; null if a signal ended it */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

type Dependencies = Record<string, { status: string } & Record<string, unknown>>;

/** Receives the output of a process. */
type OutputListener = (name: string, stream: 'stdout' | 'stderr', text: string) => void;

export interface LatchkeyProcessOptions extends Pick<SpawnOptions, 'entry' | 'flags' | 'folder'> {
  name: string;
  port: number;
  /** Replaces the usual settings of a process (`usualVariables`), except its port. */
  env: Environment;
  /**
   * Where its output goes: to a listener, or standard error appended to a file. `inherit`: standard error is this
   * process's own. `drain`: same as `inherit`, and standard output is read and discarded, as a log collector reads it.
   * Otherwise it is discarded unread.
   */
  output?: 'inherit' | 'drain' | OutputListener | { logFile: string };
  /** The CA of its certificate, in PEM form, if it listens with TLS. */
  tlsCa?: string | undefined;
}

/** Loopback only, metrics on a free port, few log lines. */
const usualVariables = {
  HOST: '127.0.0.1',
  METRICS_HOST: '127.0.0.1',
  METRICS_PORT: '0',
  LOG_LEVEL: 'error',
};

/** The process is not started yet. */
export function createLatchkeyProcess(options: LatchkeyProcessOptions): LatchkeyProcess {
  const { name, entry, flags, port, folder, output = 'inherit' } = options;
  const env = { ...usualVariables, ...options.env, PORT: String(port) };
  const url = `${options.tlsCa ? 'https' : 'http'}://127.0.0.1:${port}`;
  const logFile = typeof output === 'object' ? output.logFile : null;
  const log = logFile === null ? null : openSync(logFile, 'a');
  let child: ChildProcess | null = null;
  const isRunning = () => child !== null && child.exitCode === null && child.signalCode === null;

  async function waitUntil(state: string, look: () => Promise<Probe>): Promise<Dependencies> {
    const limitMs = performance.now() + startLimitMs;
    for (;;) {
      const { isReached, dependencies, answer } = await look();
      if (isReached) return dependencies;
      const isGone = !isRunning();
      if (isGone || performance.now() > limitMs) {
        const fault = isGone ? 'is not running' : `was not ${state} within ${startLimitMs} ms`;
        const lines = logFile === null ? '' : readFileSync(logFile, 'utf8').trim().split('\n');
        throw new Error(`${name} ${fault}. ${[answer, ...lines.slice(-shownLines)].join('\n')}`);
      }
      await pause(askEveryMs);
    }
  }
  const ask = (path: string) => get(`${url}${path}`, options.tlsCa);
  const ready = () => askReady(ask, () => true);
  const whole = () => askReady(ask, isUp);

  return {
    name,
    url,
    start(code, changed) {
      child = spawnEntry({
        entry,
        flags,
        ...(code === undefined ? {} : { code }),
        folder,
        env: { ...env, ...changed },
        output: streamsOf(output, log),
      });
      child.unref();
      if (output === 'drain') child.stdout?.resume();
      if (typeof output !== 'function') return;
      for (const stream of ['stdout', 'stderr'] as const)
        child[stream]?.setEncoding('utf8').on('data', (text: string) => output(name, stream, text));
    },
    pid() {
      if (child?.pid === undefined) throw new Error(`${name} was never started`);
      return child.pid;
    },
    isRunning,
    isReady: async () => (await ready()).isReached,
    isWhole: async () => (await whole()).isReached,
    waitHealthy: async () => void (await waitUntil('healthy', () => askHealth(ask))),
    waitReady: () => waitUntil('ready', ready),
    waitWhole: () => waitUntil('whole', whole),
    signal: (signal) => void child?.kill(signal),
    async end(signal) {
      if (child === null || !isRunning()) return child?.exitCode ?? null;
      // After `close`, unlike after `exit`, all output has been read.
      const gone = once(child, 'close');
      child.ref();
      child.kill(signal);
      // A paused process reacts to SIGKILL alone.
      if (signal !== 'SIGKILL') child.kill('SIGCONT');
      await gone;
      return child.exitCode;
    },
  };
}

function streamsOf(
  output: NonNullable<LatchkeyProcessOptions['output']>,
  log: number | null,
): SpawnOptions['output'] {
  if (typeof output === 'function') return ['pipe', 'pipe'];
  return [output === 'drain' ? 'pipe' : 'ignore', log ?? 'inherit'];
}

/** One call to a process that may not answer yet. */
interface Probe {
  isReached: boolean;
  dependencies: Dependencies;
  /** The body of its answer, as text. */
  answer: string;
}

type Ask = (path: string) => Promise<{ isOk: boolean; text: string }>;

/** `fetch` takes no CA. @throws Error without an answer in time */
async function get(url: string, ca: string | undefined): ReturnType<Ask> {
  const { request } = url.startsWith('https:') ? https : http;
  const asked = request(url, { ca, agent: false, signal: AbortSignal.timeout(readyRequestLimitMs) }).end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  return { isOk: answer.statusCode === 200, text: await textOf(answer) };
}

async function askReady(ask: Ask, suffices: (dependencies: Dependencies) => boolean): Promise<Probe> {
  try {
    const { isOk, text: answer } = await ask('/ready');
    const { dependencies = {} } = JSON.parse(answer) as { dependencies?: Dependencies };
    return { isReached: isOk && suffices(dependencies), dependencies, answer };
  } catch (error) {
    return { isReached: false, dependencies: {}, answer: String(error) };
  }
}

async function askHealth(ask: Ask): Promise<Probe> {
  try {
    const { isOk, text } = await ask('/health');
    return { isReached: isOk, dependencies: {}, answer: text };
  } catch (error) {
    return { isReached: false, dependencies: {}, answer: String(error) };
  }
}

function isUp(dependencies: Dependencies): boolean {
  return Object.values(dependencies).every(({ status }) => status === 'up');
}
