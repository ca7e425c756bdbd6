import { Worker } from 'node:worker_threads';

/**
 * Ends this process by SIGKILL after the time, whatever its main thread does: also where it loops or waits in the system,
 * and so runs no timer or signal handler. Does nothing where the process has ended by then.
 */
export function endByForce(afterMs: number): void {
  const program = `setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${Math.ceil(afterMs)});`;
  const worker = new Worker(program, { eval: true, stdout: true, stderr: true, execArgv: [] });
  worker.unref();
  // The machine has no room for one more thread: the process then ends by itself, if it can.
  worker.on('error', () => {});
}
