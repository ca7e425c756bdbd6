import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';

const spin =
  'process.on("disconnect", () => process.exit()); const turn = () => { for (let i = 0; i < 1e6; i++); setImmediate(turn); }; turn();';

/**
 * One process for each core that does nothing, and only where nobody else wants the core (SCHED_IDLE, sched(7)). A core that
 * has fallen asleep takes long to wake, above all in a virtual machine, and that time counts as CPU time of whoever is
 * woken: the less a process has to do, the more of it each of its requests would seem to cost.
 *
 * @throws Error where there is no `chrt` (util-linux)
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
