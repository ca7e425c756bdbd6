import { spawn } from 'node:child_process';

/**
 * Runs a program with this process's standard output and error and without input, and passes signals on to it.
 *
 * @returns its exit code; 1 if a signal ended it or it could not be started
 */
export async function runCommand(
  command: string,
  args: readonly string[],
  env = process.env,
): Promise<number> {
  const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'], env });
  const forward = (signal: NodeJS.Signals) => child.kill(signal);
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, forward);
  try {
    return await new Promise((resolve) => {
      child.on('error', (error) => {
        process.stderr.write(`Could not start ${command}: ${error.message}\n`);
        resolve(1);
      });
      child.on('exit', (code) => resolve(code ?? 1));
    });
  } finally {
    for (const signal of signals) process.off(signal, forward);
  }
}
