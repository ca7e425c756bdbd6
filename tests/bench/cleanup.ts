import { constants } from 'node:os';

/** The resources that must be stopped at the end, the last one first. */
export interface Cleanup {
  /** @returns its argument */
  add<T extends { stop(): Promise<void> | void }>(it: T): T;
  /** Stops everything, once. Later calls wait for the first. */
  run(): Promise<void>;
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Also runs if a signal ends this process, which would leave servers, folders and control groups behind otherwise. */
export function createCleanup(): Cleanup {
  const open: { stop(): Promise<void> | void }[] = [];
  let running: Promise<void> | null = null;

  async function stopAll(): Promise<void> {
    for (let it = open.pop(); it; it = open.pop()) {
      try {
        await it.stop();
      } catch (error) {
        console.error('the measurement left something behind:', error);
      }
    }
    for (const signal of signals) process.off(signal, endBy);
  }
  function run(): Promise<void> {
    running ??= stopAll();
    return running;
  }
  function endBy(signal: (typeof signals)[number]): void {
    // The exit code that a shell reports for a command that a signal ended.
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
