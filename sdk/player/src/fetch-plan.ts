import type { Clock } from './clock.ts';
import type { KeyStore } from './key-store.ts';
import type { SessionLeases } from './session-leases.ts';

interface FetchPlanPorts {
  readonly clock: Clock;
  readonly random: () => number;
  /** Of what plays now. */
  readonly session:
    | { readonly keys: KeyStore; readonly leases: Pick<SessionLeases, 'isResting'> }
    | undefined;
}

/** Fetches one key at a time ahead. */
export interface FetchPlan {
  /**
   * @param delaySecondsOf from now, negative for at once, with a random number of 0 to 1 that is the same for each call with this key; undefined:
   *   not yet known
   * @param onDone with the code of a failure
   */
  fetch(
    url: string,
    delaySecondsOf: (share: number) => number | undefined,
    onDone?: (code: string | undefined) => void,
  ): void;
}

export function createFetchPlan(ports: FetchPlanPorts): FetchPlan {
  let planned: string | undefined;
  let share = 0;
  let timer: unknown;

  return {
    fetch(url, delaySecondsOf, onDone = () => {}) {
      const { session, clock } = ports;
      if (!session || session.keys.has(url)) return;
      if (planned !== url) share = ports.random();
      planned = url;
      clock.clearTimeout(timer);
      const delaySeconds = delaySecondsOf(share);
      if (delaySeconds === undefined) return;
      const fetchAhead = () => {
        if (session === ports.session && !session.leases.isResting) session.keys.fetchAhead(url).then(onDone);
      };
      timer = clock.setTimeout(fetchAhead, delaySeconds * 1_000);
    },
  };
}
