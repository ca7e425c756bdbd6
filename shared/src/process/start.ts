import type { Dependency, Readiness, StartUp } from '../lifecycle/index.ts';
import type { OperatorLog } from '../log/index.ts';

/** Time between two checks of a dependency that a process waits for. */
const retryEveryMs = 1_000;

interface StartingProcess {
  readiness: Pick<Readiness, 'isDraining'>;
  log: OperatorLog;
  startUp: StartUp;
}

/**
 * The work between listening and answering requests, such as the check of the master keys. Makes `/ready` answer not ready until it is over.
 * Call it before the process listens.
 */
export function createStart(dependencies: Dependency[]) {
  /** Null once the start is over. */
  let waitsFor: unknown = new Error('it has just started');
  dependencies.push({
    name: 'start',
    check: async () => {
      if (waitsFor) throw waitsFor;
      return undefined;
    },
  });
  return {
    isOver: () => waitsFor === null,
    /** Repeats the work until it succeeds, the process ends, or an error has `final` set: then the process stays not ready. */
    async finish(work: () => Promise<void>, { readiness, log, startUp }: StartingProcess): Promise<void> {
      let logged = '';
      while (!readiness.isDraining()) {
        try {
          await work();
          waitsFor = null;
          return;
        } catch (error) {
          waitsFor = error;
          // Logged once for each reason, not once a second.
          if (!startUp.excuses(error) && String(error) !== logged) {
            log.warn('not ready yet', { error });
            logged = String(error);
          }
          if (error instanceof Error && 'final' in error) return;
          await new Promise((resolve) => setTimeout(resolve, retryEveryMs));
        }
      }
    },
  };
}
