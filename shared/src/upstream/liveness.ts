import { brokeBeforeAnswer } from './never-reached.ts';

/**
 * `silent`: it refused a connection, broke it or kept a request waiting; other addresses come first. `gone`: a probe
 * found no listener, or had no answer for 2 s; no request is sent there until a probe is answered.
 */
type Liveness = 'alive' | 'silent' | 'gone';

/** Finds by `GET /health` whether a process is alive. */
interface LivenessProbe {
  life(): Liveness;
  /** A request got no answer: `silent` until a probe shows otherwise. */
  doubt(): void;
  /**
   * Probes the process. One probe runs at a time, and all callers share it.
   *
   * @returns whether it answered within 0.5 s. An answer within 2 s still counts for `life`
   */
  ask(): Promise<boolean>;
}

/**
 * Limits are counted in slices of this length. Each slice takes a turn of the event loop, in which a received answer is
 * read. So a process that was itself blocked for a second does not count its neighbours as dead.
 */
const sliceMs = 100;
/** 0.5 s. The answer to `/health` takes a millisecond and needs no other service. */
const silentAfterSlices = 5;
/**
 * 2 s: a process that shares its core with many others is slow but alive. At the limit the connection is ended, and the
 * next probe opens another: after lost packets, TCP would retry the old one too late.
 */
const goneAfterSlices = 20;

/**
 * @param probe one request; rejects where there was no answer or the signal ended it
 * @param onChange notified when `life` has changed
 */
export function createLivenessProbe(
  probe: (signal: AbortSignal) => Promise<void>,
  onChange: () => void,
): LivenessProbe {
  let life: Liveness = 'alive';
  let asked: Promise<boolean> | null = null;

  function become(next: Liveness): void {
    if (life === next) return;
    life = next;
    onChange();
  }

  /** A connection that was idle may break when it is used. That proves nothing, so a new one is tried. */
  const probeTwice = async (signal: AbortSignal) => {
    try {
      await probe(signal);
    } catch (error) {
      if (signal.aborted || !brokeBeforeAnswer(error)) throw error;
      await probe(signal);
    }
  };

  function start(): Promise<boolean> {
    const controller = new AbortController();
    return new Promise((resolve) => {
      let slices = 0;
      let timer = setTimeout(tick, sliceMs);
      timer.unref();
      function tick() {
        slices++;
        if (slices === silentAfterSlices) {
          if (life === 'alive') become('silent');
          resolve(false);
        }
        if (slices === goneAfterSlices) return controller.abort();
        timer = setTimeout(tick, sliceMs);
        timer.unref();
      }
      const end = (next: Liveness) => {
        clearTimeout(timer);
        asked = null;
        become(next);
        resolve(next === 'alive');
      };
      probeTwice(controller.signal).then(
        () => end('alive'),
        () => end('gone'),
      );
    });
  }

  return {
    life: () => life,
    doubt() {
      if (life === 'alive') become('silent');
    },
    ask() {
      asked ??= start();
      return asked;
    },
  };
}
