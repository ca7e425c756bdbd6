/** Bounds how many playlists are fetched at the same time, so that one silent origin does not stop the others. */
export interface FetchLimiter {
  /**
   * Waits until this origin may be called.
   *
   * @returns a function to call at the end of the fetch
   * @throws the reason of the signal, or an Error if too many wait
   */
  take(origin: string, signal: AbortSignal): Promise<() => void>;
}

interface Waiting {
  readonly origin: string;
  readonly begin: () => void;
}

interface TurnLimits {
  ofOrigin: number;
  inAll: number;
  inLine: number;
}

/**
 * With 50 ms for each playlist, 16 connections fetch 320 a second. A body takes 2 MiB at most, so 64 take 128 MiB, and longer ones wait for a turn
 * of their own. Thousands wait only where a process with as many channels starts.
 */
const usualLimits: TurnLimits = { ofOrigin: 16, inAll: 64, inLine: 4_096 };

export function createFetchLimiter(limits: TurnLimits = usualLimits): FetchLimiter {
  const running = new Map<string, number>();
  const line = new Set<Waiting>();
  let total = 0;

  const hasRoom = (origin: string) => total < limits.inAll && (running.get(origin) ?? 0) < limits.ofOrigin;

  function enter(origin: string): () => void {
    total++;
    running.set(origin, (running.get(origin) ?? 0) + 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      total--;
      const left = (running.get(origin) ?? 1) - 1;
      if (left > 0) running.set(origin, left);
      else running.delete(origin);
      admitNext();
    };
  }

  function admitNext(): void {
    for (const waiting of line) {
      if (!hasRoom(waiting.origin)) continue;
      line.delete(waiting);
      waiting.begin();
      return;
    }
  }

  return {
    async take(origin, signal) {
      signal.throwIfAborted();
      if (hasRoom(origin)) return enter(origin);
      if (line.size >= limits.inLine) throw new Error('too many playlists are being fetched');
      const { promise, resolve, reject } = Promise.withResolvers<() => void>();
      const waiting: Waiting = {
        origin,
        begin() {
          signal.removeEventListener('abort', giveUp);
          resolve(enter(origin));
        },
      };
      const giveUp = () => {
        line.delete(waiting);
        reject(signal.reason);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      line.add(waiting);
      return promise;
    },
  };
}
