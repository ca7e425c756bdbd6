import { fork } from 'node:child_process';
import type { FleetAnswer, FleetOrder, FleetReport } from './fleet.ts';

/** Viewers who go on asking, in another process. */
export interface Fleet {
  /** In the order in which they ended. The answers of the last tenth of a second may be missing. */
  answers: FleetAnswer[];
  waiting(): number;
  stop(): void;
}

export function startFleet(order: FleetOrder): Fleet {
  const answers: FleetAnswer[] = [];
  let waiting = 0;
  const child = fork(new URL('./fleet.ts', import.meta.url), { stdio: 'inherit' });
  child.on('message', (message) => {
    const report = message as FleetReport;
    answers.push(...report.answers);
    waiting = report.waiting;
  });
  child.send(order);
  return {
    answers,
    waiting: () => waiting,
    stop: () => void child.kill('SIGKILL'),
  };
}
