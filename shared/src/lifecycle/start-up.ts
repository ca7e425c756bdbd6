import type { Clock } from '../clock/clock.ts';
import type { OperatorLog } from '../log/index.ts';
import type { Readiness, ReadyReport } from './readiness.ts';

/** Longer than the first start of all containers with an empty database, which takes 10 to 20 s. */
const patienceMs = 60_000;
const lookEveryMs = 1_000;

/**
 * The time from the start of a process until everything that it depends on was up once, and a minute at most. What is missing
 * meanwhile is most often starting too, so no warning says that it is lost.
 */
export interface StartUp {
  /** Whether a warning with this error may still be premature. A fault that no waiting mends is not: a refused certificate, a wrong master key. */
  excuses(error: unknown): boolean;
  isOver(): boolean;
  /** Ends it: from now on each loss is logged at once. */
  end(): void;
}

export function createStartUp(clock: Pick<Clock, 'monotonic'>): StartUp {
  const startedAtMs = clock.monotonic();
  let hasEnded = false;
  const isOver = () => hasEnded || clock.monotonic() - startedAtMs >= patienceMs;
  return {
    excuses: (error) => !isOver() && !needsOperator(error),
    isOver,
    end() {
      hasEnded = true;
    },
  };
}

function needsOperator(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return 'final' in error || ('publicReason' in error && typeof error.publicReason === 'string');
}

/** The names of the dependencies that are not up. */
export function listMissing({ dependencies }: ReadyReport): string[] {
  return Object.entries(dependencies).flatMap(([name, { status }]) => (status === 'up' ? [] : [name]));
}

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
