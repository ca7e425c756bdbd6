import DataLoader from 'dataloader';
import { AppError } from '../errors/errors.ts';
import { BatchRefused } from './internal-client.ts';

/**
 * Look-ups of one request. With more, a look-up costs hardly less (the request's share is then 2 %), and the answer to the first
 * one waits for more rows: 64 leases take SQLite 0.5 ms, in which it answers nothing else.
 */
export const mostTogether = 64;
/** Requests under way. With one alone, the other service would be idle while its answer is read here. */
const batchesAtOnce = 2;
/**
 * Milliseconds after which a request no longer keeps others waiting. Usually it takes 1 to 5. One address that does not answer
 * takes up to 2 s, and look-ups at other addresses must not wait for it.
 */
const overdueMs = 20;

/** Means in place of an answer: this look-up is to be made alone. */
export const alone = Symbol('alone');

interface Reads<K, V> {
  /** Reads one, with the usual errors. */
  readOne(key: K): Promise<V>;
  /**
   * Reads several by one request.
   *
   * @returns what was found, in the order of the keys
   * @throws BatchRefused if each must be read alone; AppError DEPENDENCY_UNAVAILABLE
   */
  readMany(keys: readonly K[]): Promise<readonly (V | typeof alone)[]>;
}

/**
 * Gathers look-ups of several callers into shared requests: look-ups of the same turn of the event loop, and look-ups that come while
 * requests are under way. No timer delays a lone look-up. A look-up joins only a request that is not sent yet, so what it returns
 * was read after the call. Look-ups of the same key that wait share one answer.
 *
 * @returns reads one; fails as `readOne` does
 */
export function gatherReads<K, V>({ readOne, readMany }: Reads<K, V>): (key: K) => Promise<V> {
  const requests = createRequestsUnderWay();
  /** Rejects also where `readOne` throws, as for a key that no URL can hold. */
  const readAlone = async (key: K) => readOne(key);

  async function readTogether(keys: readonly K[]): Promise<(V | Promise<V> | Error)[]> {
    const [only] = keys;
    if (only !== undefined && keys.length === 1)
      return [await readAlone(only).catch((error: Error) => error)];
    try {
      const found = await readMany(keys);
      return keys.map((key, n) => {
        const value = found[n];
        return value === undefined || value === alone ? readAlone(key) : value;
      });
    } catch (error) {
      if (error instanceof BatchRefused) return keys.map(readAlone);
      // Each gets an error of its own, with the text of a single read.
      return keys.map(() => new AppError('DEPENDENCY_UNAVAILABLE', { cause: error }));
    }
  }

  const loader = new DataLoader<K, V, string>(
    (keys) => {
      // Later look-ups of these keys need a later request.
      loader.clearAll();
      // A promise in the place of a value settles its look-up alone, which the types of the package do not say.
      return readTogether(keys).finally(requests.begin()) as Promise<V[]>;
    },
    {
      maxBatchSize: mostTogether,
      cacheKeyFn: (key) => JSON.stringify(key),
      batchScheduleFn: requests.schedule,
    },
  );
  return (key) => loader.load(key);
}

/** Sends requests after the sockets that can be read now, whose look-ups join, and two at once, until they end or are overdue. */
function createRequestsUnderWay() {
  const waiting: (() => void)[] = [];
  let count = 0;
  let isScheduled = false;

  function sendLater(): void {
    if (isScheduled || waiting.length === 0 || count >= batchesAtOnce) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      while (count < batchesAtOnce && waiting.length > 0) waiting.shift()?.();
    });
  }

  return {
    schedule(send: () => void): void {
      waiting.push(send);
      sendLater();
    },
    /** @returns call it when the request has ended */
    begin(): () => void {
      count++;
      let isCounted = true;
      const free = () => {
        clearTimeout(timer);
        if (!isCounted) return;
        isCounted = false;
        count--;
        sendLater();
      };
      const timer = setTimeout(free, overdueMs);
      return free;
    },
  };
}
