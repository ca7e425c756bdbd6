import type { OperatorLog } from '../log/index.ts';
import { listMissing, type Readiness } from './readiness.ts';
import type { StartUp } from './start-up.ts';

const lookEveryMs = 1_000;

/**
 * Looks once a second until the start-up is over, so that a process without probes knows it too. Logs once what the process waits
 * for, unless a second is enough.
 */
export function watchStartUp(startUp: StartUp, readiness: Readiness, log: OperatorLog): void {
  let waits = false;
  const look = async () => {
    if (readiness.isDraining()) return;
    // Before the report: the last one of the minute logs what is missing as lost.
    const wasOver = startUp.isOver();
    const missing = listMissing(await readiness.report());
    if (missing.length === 0) {
      if (waits) log.info('everything that this process waited for is up');
    } else if (!wasOver) {
      if (!waits) log.info(`waits for: ${missing.join(', ')}. Warnings follow after a minute`);
      waits = true;
      lookLater();
    }
  };
  const lookLater = () => void setTimeout(() => void look(), lookEveryMs).unref();
  lookLater();
}
