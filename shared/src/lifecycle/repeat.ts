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
