import { createDeferred } from './deferred.ts';
import { type Emitter, toKeyWait } from './emitter.ts';
import type { KeyServer } from './key-server.ts';
import { createKeyStore, type KeyStore } from './key-store.ts';
import type { MetricsRecorder } from './metrics.ts';
import { isKeyWait, PlayerError } from './player-error.ts';
import type { AttachOptions } from './player-options.ts';
import { createPatience, keyBackOff, type RetryOptions, retry } from './retry.ts';
import { createSessionLeases, type SessionLeases } from './session-leases.ts';

export interface SessionPorts extends Required<Pick<AttachOptions, 'clock' | 'random'>> {
  readonly options: AttachOptions;
  readonly server: KeyServer;
  readonly metrics: MetricsRecorder;
  readonly emitter: Emitter;
  readonly handedOut: Set<string>;
  /** How long playback may be stopped before that is an error. */
  readonly patienceMs: number;
  /** Names this player among the viewer's leases. */
  readonly deviceId: string;
  /** Whether the buffer is empty. */
  readonly isStarving: () => boolean;
  /** A key is needed although the leases were released. */
  readonly onWoken: () => void;
  /** Makes each lease a playback session, and gets its URL. */
  readonly onUrl: ((url: string) => void) | undefined;
  /** Stops playback. */
  readonly stop: () => void;
}

/** The playing of one content: its lease, its keys, and its end. */
export interface Session {
  readonly keys: KeyStore;
  readonly leases: SessionLeases;
  /** Rejected when playback ends by an error or another content begins; never resolved. */
  readonly failure: Promise<never>;
  /** Whether playback has ended, by an error or by another content. */
  readonly isOver: boolean;
  /** Repeats what failed for a transient reason, until nothing could be played for `patienceSeconds`. @throws PlayerError */
  patiently<T>(attempt: () => Promise<T>): Promise<T>;
  /** Takes the lease, if one is needed and the content is known. */
  start(): Promise<void>;
  /** Ends playback for good. */
  fail(error: PlayerError): void;
  /** Releases the leases. */
  end(): Promise<void>;
}

/** @param contentId default: the content of the first key */
export function createSession(ports: SessionPorts, contentId: string | undefined): Session {
  const { emitter, metrics, clock } = ports;
  const failure = createDeferred<never>();
  const ending = new AbortController();
  const { patienceMs } = ports;
  const givesUp = createPatience(clock, patienceMs, ports.isStarving);
  const patience = { clock, random: ports.random, givesUp, maxRetryAfterMs: patienceMs };
  const leases = createSessionLeases({
    ...ports,
    ...patience,
    contentId,
    onChange: (lease) => emitter.emit('lease', lease),
    onRetry: onRetry('lease'),
    onLost: fail,
  });

  function onRetry(what: 'key' | 'lease'): NonNullable<RetryOptions['onRetry']> {
    return (error, attempt, delayMs) => emitter.emit('retrying', { what, error, attempt, delayMs });
  }

  function fail(error: PlayerError) {
    if (failure.isSettled) return;
    failure.reject(error);
    ending.abort(error);
    leases.fail(error);
    ports.stop();
    emitter.emit('error', error);
  }

  return {
    keys: createKeyStore({
      ...ports,
      ...patience,
      leases,
      onRetry(error, attempt, delayMs, url) {
        if (isKeyWait(error)) emitter.emit('keyWait', toKeyWait(url, error, delayMs));
        else onRetry('key')(error, attempt, delayMs);
      },
      onRefused: fail,
      ended: ending.signal,
      onAttempt(url, { status, durationMs }) {
        metrics.keyRequested(durationMs, status > 0);
        emitter.emit('key', { url, status, durationMs });
      },
    }),
    leases,
    failure: failure.promise,
    get isOver() {
      return failure.isSettled;
    },
    patiently(attempt) {
      const startMs = clock.now();
      const until = { givesUp: () => givesUp(startMs), onRetry: onRetry('key'), signal: ending.signal };
      return retry(attempt, { ...patience, ...keyBackOff, ...until });
    },
    async start() {
      if (!failure.isSettled) await leases.start();
    },
    fail,
    async end() {
      const reason = new PlayerError('ABORTED', 'Another content was loaded, or the player destroyed.');
      failure.reject(reason);
      ending.abort(reason);
      await leases.end();
    },
  };
}
