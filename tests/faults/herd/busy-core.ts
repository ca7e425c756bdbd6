import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Computes without end, and ends when this process is gone. */
const loop = `process.on('disconnect', () => process.exit()); (function turn() { const end = Date.now() + 50; while (Date.now() < end); setImmediate(turn); })()`;

/** Takes half of the time of a core from each other process that is pinned to it (Linux, by `taskset`). @returns what stops it */
export function keepBusy(core: number): { stop(): void } {
  const child = spawn('taskset', ['-c', String(core), process.execPath, '-e', loop], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  child.on('error', () => {});
  return { stop: () => void child.kill('SIGKILL') };
}

/** Keeps all threads of a running process on one core (Linux, by `taskset`). */
export async function pinTo(core: number, pid: number): Promise<void> {
  const child = spawn('taskset', ['-acp', String(core), String(pid)], { stdio: 'ignore' });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`taskset ended with ${code}`);
}
