import { everyMs } from './repeat.ts';

interface Job {
  everyMs: number;
  run: () => Promise<unknown>;
  /** The warning for the operator when a run has failed. */
  failed: string;
  /** Lets a run that is under way end early. */
  interrupt?: () => void;
}

/** What a process does beside requests. */
export interface Jobs {
  /** Runs the job again and again until `stop`, never two runs at a time. */
  repeat(job: Job): void;
  /** Resolves once every run that is under way has ended. All jobs stop at the same time. */
  stop(): Promise<void>;
}

/** @param warn as `createRepeatedWarnings` makes it: while the database is away, a job may fail once a second */
export function createJobs(warn: (message: string, error: unknown) => void): Jobs {
  const ends: (() => Promise<void>)[] = [];
  return {
    repeat({ everyMs: intervalMs, run, failed, interrupt }) {
      const repeating = everyMs(intervalMs, run, (error) => warn(failed, error));
      ends.push(() => {
        interrupt?.();
        return repeating.stop();
      });
    },
    stop: async () => void (await Promise.all(ends.map((end) => end()))),
  };
}
