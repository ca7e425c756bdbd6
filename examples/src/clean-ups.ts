/** What has to be ended or taken away, in the reverse order of what was begun. */
export interface CleanUps {
  add(cleanUp: () => void | Promise<void>): void;
  /** Runs each of them, whatever the others do. Later calls share the first run. */
  run(): Promise<void>;
}

/** @param complain called with what did not end well */
export function createCleanUps(complain: (error: unknown) => void): CleanUps {
  const cleanUps: (() => void | Promise<void>)[] = [];
  let running: Promise<void> | undefined;

  async function runAll(): Promise<void> {
    for (let cleanUp = cleanUps.pop(); cleanUp; cleanUp = cleanUps.pop()) {
      try {
        await cleanUp();
      } catch (error) {
        complain(error);
      }
    }
  }

  return {
    add: (cleanUp) => void cleanUps.push(cleanUp),
    run: () => (running ??= runAll()),
  };
}
