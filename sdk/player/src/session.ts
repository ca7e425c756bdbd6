import { createDeferred } from './deferred.ts';
import type { Emitter } from './emitter.ts';
import type { KeyServer } from './key-server.ts';
import { createKeyStore, type KeyStore } from './key-store.ts';
import { contentIdOf } from './key-url.ts';
import { createLeaseCalls } from './lease-calls.ts';
import { createLeaseKeeper, type LeaseKeeper } from './lease-keeper.ts';
import type { MetricsRecorder } from './metrics.ts';
import { PlayerError } from './player-error.ts';
import type { AttachOptions } from './player-options.ts';
import { tabStorage } from './released-lease.ts';
import { keyBackOff, type RetryOptions, retry } from './retry.ts';

/** A minute: longer than a server takes to be replaced, shorter than a viewer waits in front of a still picture. */
const defaultPatienceSeconds = 60;

export interface SessionPorts extends Required<Pick<AttachOptions, 'clock' | 'random'>> {
  readonly options: AttachOptions;
  readonly server: KeyServer;
  readonly metrics: MetricsRecorder;
  readonly emitter: Emitter;
  readonly handedOut: Set<string>;
  /** Names this player among the viewer's leases. */
  readonly deviceId: string;
  /** The end of the content before. */
  readonly before: Promise<void>;
  /** Whether there is nothing left to play. */
  readonly isStarving: () => boolean;
  /** Stops what is played. */
  readonly stop: () => void;
}

/** The playing of one content: its lease, its keys, and its end. */
export interface Session {
  readonly keys: KeyStore;
  readonly leases: LeaseKeeper | undefined;
  readonly contentId: string | undefined;
  /** Rejected when playback ends by an error, or another begins; never resolved. */
  readonly failure: Promise<never>;
  /** A token for keys that the browser asks for itself, however long the application cannot give one. @throws PlayerError */
  token(): Promise<string>;
  /** Takes the lease, where one is wanted and the content is known. */
  start(): Promise<void>;
  /** Ends playback for good. */
  fail(error: PlayerError): void;
  /** Gives the lease back. */
  end(): Promise<void>;
}

/** @param contentId undefined where only the first key's URL will tell */
export function createSession(ports: SessionPorts, contentId: string | undefined): Session {
  const { options, emitter, metrics, clock } = ports;
  const failure = createDeferred<never>();
  const ending = new AbortController();
  const patienceMs = (options.patienceSeconds ?? defaultPatienceSeconds) * 1_000;
  const givesUp = (sinceMs: number) => ports.isStarving() && clock.now() - sinceMs >= patienceMs;
  let leases = contentId === undefined ? undefined : keepLease(contentId);
  let playing = contentId;

  function onRetry(what: 'key' | 'lease'): NonNullable<RetryOptions['onRetry']> {
    return (error, attempt, delayMs) => emitter.emit('retrying', { what, error, attempt, delayMs });
  }

  function fail(error: PlayerError) {
    if (failure.isSettled) return;
    failure.reject(error);
    ending.abort(error);
    leases?.stop();
    ports.stop();
    emitter.emit('error', error);
  }

  function keepLease(ofContent: string): LeaseKeeper | undefined {
    if (options.leases === false) return undefined;
    const { ttlSeconds, deviceId = ports.deviceId } = options.leases ?? {};
    return createLeaseKeeper({
      ...ports,
      calls: createLeaseCalls(ports.server, tabStorage()),
      wish: { contentId: ofContent, deviceId, ttlSeconds },
      givesUp,
      onChange: (lease) => emitter.emit('lease', lease),
      onRetry: onRetry('lease'),
      onLost: fail,
    });
  }

  /** A lease is for one content: a key of another, such as an advertisement's, is asked for without. */
  function leasesFor(url: string): LeaseKeeper | undefined {
    const ofKey = contentIdOf(url, options.keyServerUrl);
    if (playing === undefined && ofKey !== undefined) {
      playing = ofKey;
      leases = keepLease(ofKey);
      start().catch(() => {});
    }
    return ofKey === playing ? leases : undefined;
  }

  const start = async () => {
    if (!failure.isSettled) await leases?.take();
  };
  return {
    keys: createKeyStore({
      ...ports,
      leasesFor,
      givesUp,
      onRetry: onRetry('key'),
      onRefused: fail,
      ended: ending.signal,
      onAttempt(url, { status, durationMs }) {
        metrics.keyRequested(durationMs, status > 0);
        emitter.emit('key', { url, status, durationMs });
      },
    }),
    get leases() {
      return leases;
    },
    get contentId() {
      return playing;
    },
    failure: failure.promise,
    token() {
      const startMs = clock.now();
      const attempt = () => ports.server.token('key');
      const signal = ending.signal;
      const again = { givesUp: () => givesUp(startMs), onRetry: onRetry('key') };
      return retry(attempt, { ...ports, ...keyBackOff, ...again, signal });
    },
    start,
    fail,
    async end() {
      const reason = new PlayerError('ABORTED', 'Another content was loaded, or the player destroyed.');
      failure.reject(reason);
      ending.abort(reason);
      await leases?.release();
    },
  };
}
