import { randomBytes } from 'node:crypto';
import { createManualClock } from '@latchkey/shared/testing';
import type { CommandContext } from '../command-context.ts';
import { runProgram } from '../run-program.ts';

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
