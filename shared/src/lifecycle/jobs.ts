/** A job that runs again and again until it is stopped. */
export interface Repeating {
  /** Resolves once a running job has ended. */
  stop(): Promise<void>;
}

/**
 * Runs the job, waits, and runs it again. Two runs never overlap, and a failure only leads to the next try. The timer
 * does not keep the process alive.
 */
export function everyMs(
  intervalMs: number,
  job: () => Promise<unknown>,
  onFault: (error: unknown) => void,
): Repeating {
  let stopped = false;
  let running: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout;

  const schedule = () => {
    timer = setTimeout(() => {
      running = run();
    }, intervalMs);
    timer.unref();
  };
  const run = async () => {
    try {
      await job();
    } catch (error) {
      onFault(error);
    }
    if (!stopped) schedule();
  };
  schedule();
  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
      return running;
    },
  };
}

interface Job {
  everyMs: number;
  run: () => Promise<unknown>;
  /** The warning for the operator when a run has failed. */
  failed: string;
  /** Lets a run that is under way end early. */
  interrupt?: () => void;
}

export type Jobs = ReturnType<typeof createJobs>;

/**
 * The work of a process in addition to requests.
 *
 * @param warn as `createRepeatedWarnings` makes it: while the database is away, a job may fail once a second
 */
export function createJobs(warn: (message: string, error: unknown) => void) {
  const ends: (() => Promise<void>)[] = [];
  return {
    /** Runs the job again and again until `stop`, never two runs at a time. */
    repeat({ everyMs: intervalMs, run, failed, interrupt }: Job): void {
      const repeating = everyMs(intervalMs, run, (error) => warn(failed, error));
      ends.push(() => {
        interrupt?.();
        return repeating.stop();
      });
    },
    /** Resolves once every run that is under way has ended. All jobs stop at the same time. */
    stop: async () => void (await Promise.all(ends.map((end) => end()))),
  };
}
