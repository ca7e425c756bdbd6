import type { Attempt, KeyServer } from './key-server.ts';
import { isOver, type LeaseKeeper } from './lease-keeper.ts';
import { networkError, PlayerError, toPlayerError } from './player-error.ts';
import { keyBackOff, type RetryOptions, retry } from './retry.ts';

/** Of AES-128 (RFC 8216 section 5.2). Anything else, such as a captive portal's page, is no key. */
const keyBytes = 16;
/** Fetched ahead and not asked for yet. hls.js keeps what it was given; a seek far away leaves one behind here. */
const maxHeldKeys = 8;

export interface KeyStorePorts extends Pick<RetryOptions, 'clock' | 'random' | 'onRetry'> {
  readonly server: KeyServer;
  /** The keeper of the lease for the content of a key URL; undefined where it goes without. */
  readonly leasesFor: (url: string) => LeaseKeeper | undefined;
  /** Whether the viewer has waited long enough for a key. */
  readonly givesUp: (sinceMs: number) => boolean;
  readonly onAttempt: (url: string, attempt: Attempt) => void;
  /** URLs of the keys that hls.js has, and keeps for its life. Outlives a content. */
  readonly handedOut: Set<string>;
  /** The key is not to be had: not now and not later. */
  readonly onRefused: (error: PlayerError) => void;
  /** Aborted, with the reason, once playback has ended: nothing is requested from then on. */
  readonly ended: AbortSignal;
}

/** Content keys by URL: each is requested once, ahead or when wanted. */
export interface KeyStore {
  /**
   * @returns the 16 bytes, however long the server is away
   * @throws PlayerError, which `onRefused` has heard, too; nothing comes to whom `signal` has left
   */
  get(url: string, signal: AbortSignal): Promise<ArrayBuffer>;
  /** Requests a key that will be wanted; a failure that may pass is left to `get`. */
  fetchAhead(url: string): void;
  /** Whether the key was requested or handed out. */
  has(url: string): boolean;
}

interface Loading {
  readonly key: Promise<ArrayBuffer>;
  readonly wantedBy: Set<AbortSignal>;
}

export function createKeyStore(ports: KeyStorePorts): KeyStore {
  const held = new Map<string, ArrayBuffer>();
  const { handedOut, ended } = ports;
  const loading = new Map<string, Loading>();

  function load(url: string): Loading {
    const wantedBy = new Set<AbortSignal>();
    const startMs = ports.clock.now();
    const isWanted = () => [...wantedBy].some((signal) => !signal.aborted);
    const givesUp = () => !isWanted() || ports.givesUp(startMs);
    const attempt = async () => {
      if (ended.aborted) throw ended.reason;
      return fetchKey(ports, url);
    };
    const key = retry(attempt, { ...ports, ...keyBackOff, givesUp, signal: ended });
    const entry = { key, wantedBy };
    loading.set(url, entry);
    key.then(
      (bytes) => keep(url, bytes),
      (error) => {
        loading.delete(url);
        if (ended.aborted) return;
        const { isTransient, code } = toPlayerError(error);
        if (code !== 'ABORTED' && (!isTransient || isWanted())) ports.onRefused(toPlayerError(error));
      },
    );
    return entry;
  }

  function keep(url: string, bytes: ArrayBuffer) {
    loading.delete(url);
    held.set(url, bytes);
    const [oldest] = held.keys();
    if (held.size > maxHeldKeys && oldest !== undefined) held.delete(oldest);
  }

  return {
    async get(url, signal) {
      let bytes = held.get(url);
      if (bytes === undefined) {
        const entry = loading.get(url) ?? load(url);
        entry.wantedBy.add(signal);
        bytes = await entry.key;
      }
      if (signal.aborted) throw new PlayerError('ABORTED', 'Nobody wants the key any more.');
      held.delete(url);
      handedOut.add(url);
      return bytes;
    },
    fetchAhead(url) {
      if (!this.has(url)) load(url);
    },
    has: (url) => held.has(url) || loading.has(url) || handedOut.has(url),
  };
}

/** One key request, and another where its lease turns out to be over. */
async function fetchKey({ server, leasesFor, onAttempt }: KeyStorePorts, url: string): Promise<ArrayBuffer> {
  const leases = leasesFor(url);
  for (let isSecond = false; ; isSecond = true) {
    const leaseId = await leases?.leaseId();
    try {
      const observe = (attempt: Attempt) => onAttempt(url, attempt);
      const key = await server.send({ url, leaseId, reason: 'key', onAttempt: observe });
      if (key.byteLength === keyBytes) return key;
      throw networkError(`A key has ${keyBytes} bytes; the answer has ${key.byteLength}.`);
    } catch (thrown) {
      const error = toPlayerError(thrown);
      if (isSecond || !leases || leaseId === undefined) throw error;
      // Asked with a lease that has been given back since: the one in its place decides.
      const wasReplaced = error.code === 'LEASE_REVOKED' && leases.lease?.id !== leaseId;
      if (!isOver(error) && !wasReplaced) throw error;
      await leases.replace(leaseId);
    }
  }
}
