import { constants } from 'node:os';

/** What has to be ended, whatever happens: the last first. */
export interface Cleanup {
  /** @returns what was given */
  add<T extends { stop(): Promise<void> | void }>(it: T): T;
  /** Ends everything, once: a second caller waits for the first one's run. */
  run(): Promise<void>;
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Also runs where a signal ends this process, which by default would leave servers, folders and control groups behind. */
export function createCleanup(): Cleanup {
  const open: { stop(): Promise<void> | void }[] = [];
  let running: Promise<void> | null = null;

  async function stopAll(): Promise<void> {
    for (let it = open.pop(); it; it = open.pop()) {
      try {
        await it.stop();
      } catch (error) {
        console.error('did not end as it should:', error);
      }
    }
    for (const signal of signals) process.off(signal, endBy);
  }
  function run(): Promise<void> {
    running ??= stopAll();
    return running;
  }
  function endBy(signal: (typeof signals)[number]): void {
    // What a shell reports for a command that a signal ended.
    void run().then(() => process.exit(128 + constants.signals[signal]));
  }
  for (const signal of signals) process.on(signal, endBy);

  return {
    add(it) {
      open.push(it);
      return it;
    },
    run,
  };
}
