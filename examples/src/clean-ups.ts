/** Actions for the end, such as stopping a server. The last one added runs first. */
export interface CleanUps {
  add(cleanUp: () => void | Promise<void>): void;
  /** Runs all of them, even if some fail. Later calls wait for the first run. */
  run(): Promise<void>;
}

/** @param complain receives the error of each action that fails */
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
