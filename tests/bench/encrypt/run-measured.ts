import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { readMemory } from '../proc/process-usage.ts';

export interface CommandUsage {
  /** CPU time of the command and of all that it started, user and system. */
  cpuSeconds: number;
  seconds: number;
  /** Highest resident memory of the command itself. */
  peakKiB: number;
}

const lookEveryMs = 20;

/**
 * Runs a command under the `time` of bash, which counts ended processes exactly.
 *
 * @throws Error if the command fails
 */
export async function runMeasured(
  command: readonly string[],
  env: Record<string, string>,
): Promise<CommandUsage> {
  const script = `TIMEFORMAT='%R %U %S'; time "$0" "$@"`;
  const shell = spawn('bash', ['-c', script, ...command], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  shell.stderr.on('data', (chunk) => {
    said += chunk;
  });
  const ended = once(shell, 'close') as Promise<[number]>;
  let isOver = false;
  void ended.finally(() => {
    isOver = true;
  });
  let peakKiB = 0;
  while (!isOver) {
    peakKiB = Math.max(peakKiB, readPeakOfChild(shell.pid ?? 0));
    await pause(lookEveryMs);
  }
  const [code] = await ended;
  const [, seconds, user, system] = /^([\d.]+) ([\d.]+) ([\d.]+)$/m.exec(said) ?? [];
  if (code !== 0 || system === undefined) throw new Error(`${command.join(' ')} ended with ${code}: ${said}`);
  return { seconds: Number(seconds), cpuSeconds: Number(user) + Number(system), peakKiB };
}

function readPeakOfChild(shell: number): number {
  try {
    const [child] = readFileSync(`/proc/${shell}/task/${shell}/children`, 'utf8').split(' ');
    // A process that has just ended shows no memory.
    return readMemory(Number(child)).peakKiB || 0;
  } catch {
    // It has not started yet, or has ended.
    return 0;
  }
}
