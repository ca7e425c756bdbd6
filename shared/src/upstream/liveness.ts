import { brokeBeforeAnswer } from './never-reached.ts';

/**
 * `silent`: it took no connection, broke it or kept somebody waiting; other addresses come first. `gone`: a probe found that
 * nobody listens, or had no answer for 2 s; no request is sent there until a probe is answered.
 */
type Liveness = 'alive' | 'silent' | 'gone';

/** Tells by `GET /health` whether a process lives. */
export interface LivenessProbe {
  life(): Liveness;
  /** A request met no answer: `silent` until a probe says otherwise. */
  doubt(): void;
  /**
   * Asks for a sign of life. One probe is under way at a time, and all who ask share it.
   *
   * @returns whether it answered within 0.5 s. An answer within 2 s still counts for `life`
   */
  ask(): Promise<boolean>;
}

/**
 * Limits are counted in slices of this length. Each slice takes a turn of the event loop, in which an answer that has come is
 * read. So a process that is itself held up for a second does not take its neighbours for dead.
 */
const sliceMs = 100;
/** 0.5 s. The answer to `/health` takes a millisecond and asks nobody. */
const silentAfterSlices = 5;
/**
 * 2 s: a process that shares its core with many others is slow and must not be given up. Then the connection is ended, and the
 * next probe opens another: where packets were lost, TCP would try the old one again too late.
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

  /** A connection that lay idle may break when it is used: that says nothing, so a new one is tried. */
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
