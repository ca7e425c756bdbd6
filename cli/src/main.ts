#!/usr/bin/env node
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSystemClock } from '@latchkey/shared/clock';
import { runProgram } from './run-program.ts';

const interruption = new AbortController();
let received: NodeJS.Signals | undefined;
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  // Once: a second signal ends the process at once, and the next run clears what it leaves.
  process.once(name, () => {
    received ??= name;
    interruption.abort(new Error('interrupted; nothing is left of it'));
  });
}

const exitCode = await runProgram(process.argv.slice(2), {
  env: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
  terminal: process.stderr.isTTY ? process.stderr : undefined,
  randomBytes,
  clock: createSystemClock(),
  wait: (seconds, signal) => sleep(seconds * 1000, undefined, signal ? { signal } : {}),
  signal: interruption.signal,
});
process.exitCode = exitCode;
if (received && exitCode !== 0) {
  // The process that waits for this one should see that a signal ended it, as a shell's 130 does.
  process.removeAllListeners(received);
  process.kill(process.pid, received);
}
