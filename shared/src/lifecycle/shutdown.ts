import { Worker } from 'node:worker_threads';
import type { OperatorLog } from '../log/index.ts';
import { withTimeLimit } from './time-limit.ts';

export type Shutdown = ReturnType<typeof createShutdown>;

/** The end of a process, in named phases, in the reverse order of opening. */
export function createShutdown(log: OperatorLog) {
  const phases: { phase: string; limitMs: number; run: () => void | Promise<void> }[] = [];
  let running: Promise<void> | null = null;

  async function runAll() {
    for (const { phase, limitMs, run } of phases.reverse()) {
      try {
        await withTimeLimit(limitMs, Promise.resolve(run()), 'not done');
      } catch (error) {
        log.error(`shutdown: ${phase} did not end well`, { error });
      }
    }
  }

  return {
    /** Registers the clean-up of a resource. Call it as soon as the resource is open: the last one registered runs first. */
    add(phase: string, limitMs: number, run: () => void | Promise<void>): void {
      phases.push({ phase, limitMs, run });
    },
    /**
     * Runs every phase within its limit. A phase that fails or hangs does not stop the others. Later calls share the first
     * run.
     */
    run(): Promise<void> {
      running ??= runAll();
      return running;
    },
  };
}

/**
 * Ends this process by SIGKILL after the time, whatever its main thread does: also if that loops or waits in the system,
 * and so runs no timer or signal handler. Does nothing if the process has ended by then.
 */
export function endByForce(afterMs: number): void {
  const program = `setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${Math.ceil(afterMs)});`;
  const worker = new Worker(program, { eval: true, stdout: true, stderr: true, execArgv: [] });
  worker.unref();
  // The machine has no room for one more thread: the process then ends by itself, if it can.
  worker.on('error', () => {});
}
