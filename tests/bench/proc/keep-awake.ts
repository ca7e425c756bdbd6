import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';

const spin =
  'process.on("disconnect", () => process.exit()); const turn = () => { for (let i = 0; i < 1e6; i++); setImmediate(turn); }; turn();';

/**
 * Starts a busy loop for each core, which runs only while no other process wants the core (SCHED_IDLE, sched(7)). A sleeping
 * core takes long to wake, above all in a virtual machine, and that time counts as CPU time of the woken process. Without
 * this, the requests of a process would seem more expensive the fewer it gets.
 *
 * @throws Error if `chrt` (util-linux) is missing
 */
export async function keepAwake(): Promise<{ stop(): void }> {
  const children = Array.from({ length: availableParallelism() }, () =>
    spawn('chrt', ['--idle', '0', process.execPath, '-e', spin], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    }),
  );
  await Promise.all(
    children.map(
      (child) =>
        new Promise<void>((resolve, reject) => {
          child.once('spawn', resolve);
          child.once('error', reject);
        }),
    ),
  );
  return {
    stop() {
      for (const child of children) child.disconnect();
    },
  };
}
