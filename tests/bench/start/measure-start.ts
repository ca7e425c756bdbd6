import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findFreePort } from '@latchkey/support/find-free-port';
import { repositoryFolder } from '@latchkey/support/repository';
import { readCpuMs, readMemory } from '../proc/process-usage.ts';
import type { Run } from '../run.ts';
import { findProcesses } from './find-processes.ts';

/** One start of `npm start`. */
export interface StartSample {
  /** Whether the folder of compiled code was empty, as at the first start of an installation. */
  isFirst: boolean;
  /** From the call of npm until `GET /ready` answers 200. */
  readyMs: number;
  /** CPU time until then of the server and of the launcher before it, in milliseconds. */
  cpuMs: number;
  /** Resident memory of all processes, without npm's own, some seconds after the start. */
  residentMib: number;
  /** npm's own process, which ends with the server. */
  npmMib: number;
  /** From the signal that ended the server before until this one was ready: as long, a restart answers nothing. Null for the first. */
  awayMs: number | null;
}

const startLimitMs = 60_000;
const lookEveryMs = 20;
/** Longer than what follows a start, such as the first sample of the statistics. */
const settleMs = 2_000;

/** Starts the single node by `npm start` on an empty folder: once without compiled code, then `rounds` times with it. */
export async function measureStart({ rounds, cleanup, say }: Run): Promise<StartSample[]> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-start-'));
  cleanup.add({ stop: () => rmSync(folder, { recursive: true }) });
  const samples: StartSample[] = [];
  const port = await findFreePort();
  let endedAtMs: number | null = null;
  for (let round = 0; round <= rounds; round++) {
    say(round === 0 ? 'the first start' : `start ${round} of ${rounds}`);
    const { sample, ...end } = await startOnce({ folder, port, endedAtMs }, cleanup);
    samples.push(sample);
    endedAtMs = end.endedAtMs;
  }
  return samples;
}

interface Installation {
  folder: string;
  port: number;
  /** When its server got the signal to end; null before the first start. */
  endedAtMs: number | null;
}

async function startOnce(
  { folder, port, endedAtMs }: Installation,
  cleanup: Run['cleanup'],
): Promise<{ sample: StartSample; endedAtMs: number }> {
  const startedAtMs = performance.now();
  const npm = spawn('npm', ['start', '--silent'], {
    cwd: repositoryFolder,
    stdio: 'ignore',
    env: {
      ...process.env,
      HOST: '127.0.0.1',
      PORT: String(port),
      METRICS_PORT: '0',
      SQLITE_PATH: join(folder, 'latchkey.db'),
      NODE_COMPILE_CACHE: join(folder, 'compiled'),
    },
  });
  cleanup.add({ stop: () => end(npm) });
  await waitReady(`http://127.0.0.1:${port}/ready`, startedAtMs + startLimitMs);
  const readyAtMs = performance.now();
  const own = findProcesses(npm.pid as number);
  const cpuMs = own.reduce((sum, pid) => sum + readCpuMs(pid), 0);
  await pause(settleMs);
  const mib = (pid: number) => readMemory(pid).residentKiB / 1_024;
  const residentMib = own.reduce((sum, pid) => sum + mib(pid), 0);
  const npmMib = mib(npm.pid as number);
  const signalledAtMs = performance.now();
  await end(npm);
  const awayMs = endedAtMs === null ? null : readyAtMs - endedAtMs;
  const readyMs = readyAtMs - startedAtMs;
  const sample = { isFirst: endedAtMs === null, readyMs, cpuMs, residentMib, npmMib, awayMs };
  return { sample, endedAtMs: signalledAtMs };
}

async function end(npm: ChildProcess): Promise<void> {
  if (npm.exitCode !== null || npm.signalCode !== null) return;
  const ended = once(npm, 'exit');
  // npm passes the signal on.
  npm.kill('SIGINT');
  await ended;
}

async function waitReady(url: string, limitMs: number): Promise<void> {
  for (;;) {
    const status = await fetch(url).then(
      (answer) => answer.status,
      () => 0,
    );
    if (status === 200) return;
    if (performance.now() > limitMs) throw new Error('npm start was not ready within a minute.');
    await pause(lookEveryMs);
  }
}
