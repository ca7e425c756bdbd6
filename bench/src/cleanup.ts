/** What has to be ended, whatever happens: the last first. */
export interface Cleanup {
  /** @returns what was given */
  add<T extends { stop(): Promise<void> | void }>(it: T): T;
  run(): Promise<void>;
}

export function createCleanup(): Cleanup {
  const open: { stop(): Promise<void> | void }[] = [];
  return {
    add(it) {
      open.push(it);
      return it;
    },
    async run() {
      for (let it = open.pop(); it; it = open.pop()) {
        try {
          await it.stop();
        } catch (error) {
          console.error('did not end as it should:', error);
        }
      }
    },
  };
}
