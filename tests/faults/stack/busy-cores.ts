import { type ChildProcess, spawn } from 'node:child_process';

/** Processes that compute without end, so that the servers get less processor time. */
export interface BusyLoops {
  stop(): void;
}

/** The loop ends when this process is gone. */
const loop = `process.on('disconnect', () => process.exit()); (function turn() { const end = Date.now() + 50; while (Date.now() < end); setImmediate(turn); })()`;

/**
 * @param count how many loops; each takes one core
 * @param core keeps all of them on this core (Linux, by `taskset`); by default they run on any core
 */
export function startBusyLoops(count: number, core?: number): BusyLoops {
  const [program = '', ...args] = [
    ...(core === undefined ? [] : ['taskset', '-c', String(core)]),
    process.execPath,
    '-e',
    loop,
  ];
  const loops = Array.from({ length: count }, (): ChildProcess => {
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    child.on('error', () => {});
    child.channel?.unref();
    child.unref();
    return child;
  });
  return { stop: () => void loops.map((child) => child.kill('SIGKILL')) };
}

/** Keeps all threads of a running process on one core (Linux, by `taskset`). */
export async function pinTo(core: number, pid: number): Promise<void> {
  const child = spawn('taskset', ['-acp', String(core), String(pid)], { stdio: 'ignore' });
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`taskset ended with ${code}`))));
  });
}
