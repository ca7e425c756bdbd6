import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSystemClock } from '@latchkey/shared/clock';
import { createManualClock } from '@latchkey/shared/testing';
import { onTestFinished } from 'vitest';
import type { CommandContext } from '../command-context.ts';
import { runProgram } from '../run-program.ts';

export const apiKey = `lk_${'ab'.repeat(32)}`;
/** The environment of a command that calls a server. */
export const apiKeyEnv = { LATCHKEY_API_KEY: apiKey };

/** For a command that waits for files or servers of the test. */
export const realTime: Pick<CommandContext, 'clock' | 'wait'> = {
  clock: createSystemClock(),
  wait: (seconds, signal) => sleep(seconds * 1_000, undefined, signal ? { signal } : {}),
};

/** Runs a command line in this process. */
export async function runCommand(args: readonly string[], more: Partial<CommandContext> = {}) {
  let stdout = '';
  let stderr = '';
  const waits: number[] = [];
  const exitCode = await runProgram(args, {
    env: {},
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
    terminal: undefined,
    randomBytes,
    clock: createManualClock(),
    wait: async (seconds) => void waits.push(seconds),
    signal: new AbortController().signal,
    ...more,
  });
  return { exitCode, stdout, stderr, waits };
}

/** Runs a script of this package as a process, which ends with the test. @param script its path below `src` */
export function startProcess(script: string, args: readonly string[], env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, [join(import.meta.dirname, '..', script), ...args], { env });
  child.stdout.resume();
  child.stderr.resume();
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}
