import { createKeyPauses, type KeyPauses } from './key-pauses.ts';
import type { Attempt, KeyServer } from './key-server.ts';
import { isOver } from './lease-keeper.ts';
import type { KeyUse } from './lease-keepers.ts';
import { isKeyWait, networkError, PlayerError, type PlayerErrorCode, toPlayerError } from './player-error.ts';
import { keyBackOff, type RetryOptions, retry, type WaitOptions } from './retry.ts';
import type { SessionLeases } from './session-leases.ts';

/** Of AES-128 (RFC 8216 section 5.2). Any other length is not a key, such as the page of a captive portal. */
const keyBytes = 16;
/** Keys that were fetched ahead and not yet needed. A seek far away leaves one here. */
const maxHeldKeys = 8;

export interface KeyStorePorts extends Pick<RetryOptions, 'clock' | 'random' | 'maxRetryAfterMs'> {
  /** A key that is needed has to wait. */
  readonly onRetry: (error: PlayerError, attempt: number, delayMs: number, url: string) => void;
  readonly server: KeyServer;
  readonly leases: Pick<SessionLeases, 'keeperFor' | 'isHeldFor' | 'isKeptBy' | 'isOpen' | 'withoutLease'>;
  /** Whether the viewer has waited long enough for a key. */
  readonly givesUp: (sinceMs: number) => boolean;
  readonly onAttempt: (url: string, attempt: Attempt) => void;
  /** URLs of the keys that hls.js has. It keeps them for its life, so they outlive a content. */
  readonly handedOut: Set<string>;
  /** The key is refused for good. */
  readonly onRefused: (error: PlayerError) => void;
  /** Aborted with the reason when playback has ended. Nothing is requested then. */
  readonly ended: AbortSignal;
}

/** Content keys by URL. Each is requested once, ahead or when it is needed. */
export interface KeyStore {
  /**
   * @returns the 16 bytes, however long the server is down
   * @throws PlayerError, which `onRefused` gets too; `ABORTED` if `signal` is aborted
   */
  get(url: string, signal: AbortSignal, use?: KeyUse): Promise<ArrayBuffer>;
  /**
   * Requests a key of the main playlist before it is needed, unless a `Retry-After` of the server still runs. A transient
   * failure is left to `get`, and so is an epoch that the server does not serve: the URL may be a guess.
   *
   * @returns why there is no key; undefined if there is one, or without a request
   */
  fetchAhead(url: string): Promise<PlayerErrorCode | undefined>;
  /** Whether the key was requested or handed out. */
  has(url: string): boolean;
  /** Whether the key was handed out. */
  isUsed(url: string): boolean;
}

interface Loading {
  readonly key: Promise<ArrayBuffer>;
  readonly wantedBy: Set<AbortSignal>;
}

export function createKeyStore(ports: KeyStorePorts): KeyStore {
  const held = new Map<string, ArrayBuffer>();
  const { handedOut, ended } = ports;
  const loading = new Map<string, Loading>();
  const pauses = createKeyPauses(ports);

  function load(url: string, use: KeyUse, ...wanting: AbortSignal[]): Loading {
    const wantedBy = new Set(wanting);
    const startMs = ports.clock.now();
    const isWanted = () => [...wantedBy].some((signal) => !signal.aborted);
    const givesUp = () => !isWanted() || ports.givesUp(startMs);
    const onRetry: RetryOptions['onRetry'] = (...failure) => ports.onRetry(...failure, url);
    const patience = { ...ports, givesUp, signal: ended };
    const attempt = createAttempt(pauses, url, patience, (mayStart) =>
      fetchKey(ports, url, use, { isWanted, mayStart }),
    );
    const key = retry(attempt, { ...patience, ...keyBackOff, onRetry });
    const entry = { key, wantedBy };
    loading.set(url, entry);
    key.then(
      (bytes) => keep(url, bytes),
      (thrown) => {
        loading.delete(url);
        if (ended.aborted) return;
        const error = toPlayerError(thrown);
        const mayWait = error.isTransient || /^EPOCH_|^REFUSED$/.test(error.code);
        if (error.code !== 'ABORTED' && (!mayWait || isWanted())) ports.onRefused(error);
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
    async get(url, signal, use = 'main') {
      let bytes = held.get(url);
      if (bytes === undefined) {
        const entry = loading.get(url) ?? load(url, use, signal);
        entry.wantedBy.add(signal);
        bytes = await entry.key;
      }
      if (signal.aborted) throw new PlayerError('ABORTED', 'The key is not needed now.');
      held.delete(url);
      handedOut.add(url);
      return bytes;
    },
    async fetchAhead(url) {
      if (this.has(url) || pauses.holds(url)) return undefined;
      return load(url, 'main').key.then(
        () => undefined,
        (error) => toPlayerError(error).code,
      );
    },
    has: (url) => held.has(url) || loading.has(url) || handedOut.has(url),
    isUsed: (url) => handedOut.has(url),
  };
}

/** @returns makes a request, as soon as there is no pause for this key */
function createAttempt(
  pauses: KeyPauses,
  url: string,
  patience: WaitOptions & Pick<KeyStorePorts, 'onRetry'> & { readonly signal: AbortSignal },
  request: (mayStart: () => Promise<void>) => Promise<ArrayBuffer>,
): () => Promise<ArrayBuffer> {
  let hasAsked = false;
  const mayStart = () =>
    pauses.wait(url, patience, (error, leftMs) => {
      // Later waits follow a request, after which the page was notified.
      if (!hasAsked && isKeyWait(error)) patience.onRetry(error, 1, leftMs, url);
      hasAsked = true;
    });
  return async () => {
    if (patience.signal.aborted) throw patience.signal.reason;
    await mayStart();
    try {
      return await request(mayStart);
    } catch (thrown) {
      hasAsked = true;
      const error = toPlayerError(thrown);
      if (error.isTransient) pauses.note(url, error);
      throw error;
    }
  };
}

/** Requests for a key in one attempt: with the token alone, with a lease, and with the lease that replaces it. */
const maxRequests = 3;

/** One key request, and another one if its lease is missing or has ended. */
async function fetchKey(
  { server, leases, onAttempt }: KeyStorePorts,
  url: string,
  use: KeyUse,
  { isWanted, mayStart }: { isWanted: () => boolean; mayStart: () => Promise<void> },
): Promise<ArrayBuffer> {
  let hasReplaced = false;
  for (let requests = 1; ; requests += 1) {
    // Only a key that is needed may take the lease from the content that plays.
    if (!isWanted() && !leases.isHeldFor(url)) throw elsewhere();
    const keeper = leases.keeperFor(url, use);
    let leaseId: string | undefined;
    try {
      leaseId = await keeper?.leaseId();
      const observe = (attempt: Attempt) => onAttempt(url, attempt);
      const send = () => server.send({ url, leaseId, reason: 'key', onAttempt: observe, mayStart });
      const key = await (keeper ? send() : leases.withoutLease(send));
      if (key.byteLength === keyBytes) return key;
      throw networkError(`A key has ${keyBytes} bytes; the answer has ${key.byteLength}.`);
    } catch (thrown) {
      const error = toPlayerError(thrown);
      if (requests >= maxRequests) throw error.code === 'ABORTED' ? elsewhere() : error;
      if (!keeper) {
        if (error.code === 'LEASE_REQUIRED' && leases.isOpen) continue;
        throw error;
      }
      // The request had a lease that was released meanwhile: the lease that replaced it decides.
      const wasReplaced = error.code === 'LEASE_REVOKED' && keeper.lease?.id !== leaseId;
      if ((wasReplaced || error.code === 'ABORTED') && !leases.isKeptBy(keeper, url)) continue;
      if (hasReplaced || leaseId === undefined || !(isOver(error) || wasReplaced)) throw error;
      hasReplaced = true;
      await keeper.replace(leaseId);
    }
  }
}

/** Transient: the content that plays may change again, or the key may be needed after all. */
const elsewhere = () => networkError('The lease is for another content now.');
