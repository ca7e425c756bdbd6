import { Worker } from 'node:worker_threads';

/**
 * Ends this process by SIGKILL after the time, whatever its main thread is doing: also where that loops or waits in the system,
 * and so runs no timer and no signal handler of its own. Does nothing where the process has ended by then.
 */
export function endByForce(afterMs: number): void {
  const program = `setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${Math.ceil(afterMs)});`;
  const worker = new Worker(program, { eval: true, stdout: true, stderr: true, execArgv: [] });
  worker.unref();
  // A machine without room for one more thread: the process then ends by itself, as far as it does.
  worker.on('error', () => {});
}
