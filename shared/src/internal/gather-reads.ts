import { AppError } from '../errors/errors.ts';
import { BatchRefused } from './internal-client.ts';

/**
 * Look-ups of one request. With more, a look-up costs hardly less (the request's share is then 2 %), and the answer to the first
 * one waits for more rows: 64 leases take SQLite 0.5 ms, in which it answers nothing else.
 */
export const mostTogether = 64;
/** Bytes of the keys of one request, of the 64 KiB that a body may have. 64 pairs of 128-character ids take 18 KB. */
export const mostKeyBytes = 48 * 1_024;
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
   * @throws BatchRefused where each must be read alone; AppError DEPENDENCY_UNAVAILABLE
   */
  readMany(keys: readonly K[]): Promise<readonly (V | typeof alone)[]>;
}

interface Waiting<K, V> {
  key: K;
  /** The key as JSON: what tells keys apart. */
  text: string;
  bytes: number;
  answer: Promise<V>;
  resolve(value: V | Promise<V>): void;
  reject(error: unknown): void;
}

/**
 * Gathers look-ups of several callers into shared requests: those of the same turn of the event loop, and those that come while
 * requests are under way. No timer delays a lone look-up. A look-up joins only a request that is not sent yet, so what it returns
 * was read after the call. Look-ups of the same key that wait share one answer, and wait while an earlier request reads their key:
 * at the start of an event, all ask for one content. Without that wait, look-ups a millisecond apart would each be a request.
 *
 * @returns reads one; fails as `readOne` does
 */
export function gatherReads<K, V>({ readOne, readMany }: Reads<K, V>): (key: K) => Promise<V> {
  /** By the text of the key. The first has waited longest. */
  const waiting = new Map<string, Waiting<K, V>>();
  /** Rejects also where `readOne` throws, as for a key that no URL can hold. */
  const readAlone = async (key: K) => readOne(key);
  const requests = createRequestsUnderWay(schedule);
  let isScheduled = false;

  /** Sends what waits after the sockets that can be read now: their look-ups join. */
  function schedule(): void {
    if (isScheduled || waiting.size === 0 || requests.areFull()) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      while (!requests.areFull()) {
        const batch = takeBatch(waiting, requests.reads);
        if (batch.length === 0) return;
        void send(batch);
      }
    });
  }

  async function send(batch: readonly Waiting<K, V>[]): Promise<void> {
    const end = requests.begin(batch.map(({ text }) => text));
    const [first] = batch;
    try {
      if (first && batch.length === 1) return first.resolve(await readAlone(first.key));
      const found = await readMany(batch.map(({ key }) => key));
      for (const [n, { key, resolve }] of batch.entries()) {
        const value = found[n];
        resolve(value === undefined || value === alone ? readAlone(key) : (value as V));
      }
    } catch (error) {
      if (batch.length === 1) first?.reject(error);
      else if (error instanceof BatchRefused) for (const { key, resolve } of batch) resolve(readAlone(key));
      // Each gets an error of its own: its text is that of a single read.
      else for (const { reject } of batch) reject(new AppError('DEPENDENCY_UNAVAILABLE', { cause: error }));
    } finally {
      end();
    }
  }

  return (key) => {
    const text = JSON.stringify(key);
    const bytes = Buffer.byteLength(text) + 1;
    if (bytes > mostKeyBytes) return readAlone(key);
    const same = waiting.get(text);
    if (same) return same.answer;
    const { promise, resolve, reject } = Promise.withResolvers<V>();
    waiting.set(text, { key, text, bytes, answer: promise, resolve, reject });
    schedule();
    return promise;
  };
}

interface RequestsUnderWay {
  areFull(): boolean;
  /** Whether one of them reads this key. */
  reads(text: string): boolean;
  /** @returns call it when the request has ended */
  begin(texts: readonly string[]): () => void;
}

/** Counts requests until they end or are overdue. `onFree` is called each time. */
function createRequestsUnderWay(onFree: () => void): RequestsUnderWay {
  const beingRead = new Set<string>();
  let count = 0;
  return {
    areFull: () => count >= batchesAtOnce,
    reads: (text) => beingRead.has(text),
    begin(texts) {
      count++;
      for (const text of texts) beingRead.add(text);
      let isCounted = true;
      const free = () => {
        if (!isCounted) return;
        isCounted = false;
        count--;
        for (const text of texts) beingRead.delete(text);
        onFree();
      };
      const timer = setTimeout(free, overdueMs);
      return () => {
        clearTimeout(timer);
        free();
      };
    },
  };
}

/** Takes those that have waited longest, as many as fit into one request. A key that is being read stays. */
function takeBatch<K, V>(
  waiting: Map<string, Waiting<K, V>>,
  isBeingRead: (text: string) => boolean,
): Waiting<K, V>[] {
  const batch: Waiting<K, V>[] = [];
  let bytes = 0;
  for (const [text, entry] of waiting) {
    if (isBeingRead(text)) continue;
    bytes += entry.bytes;
    if (batch.length === mostTogether || bytes > mostKeyBytes) break;
    waiting.delete(text);
    batch.push(entry);
  }
  return batch;
}
