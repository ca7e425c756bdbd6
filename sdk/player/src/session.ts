import { createDeferred } from './deferred.ts';
import type { Emitter } from './emitter.ts';
import type { KeyServer } from './key-server.ts';
import { createKeyStore, type KeyStore } from './key-store.ts';
import type { MetricsRecorder } from './metrics.ts';
import { PlayerError } from './player-error.ts';
import type { AttachOptions } from './player-options.ts';
import { keyBackOff, type RetryOptions, retry } from './retry.ts';
import { createSessionLeases, type SessionLeases } from './session-leases.ts';

export interface SessionPorts extends Required<Pick<AttachOptions, 'clock' | 'random'>> {
  readonly options: AttachOptions;
  readonly server: KeyServer;
  readonly metrics: MetricsRecorder;
  readonly emitter: Emitter;
  readonly handedOut: Set<string>;
  /** How long nothing can be played before that is an error. */
  readonly patienceMs: number;
  /** Names this player among the viewer's leases. */
  readonly deviceId: string;
  /** The end of the content before. */
  readonly before: Promise<void>;
  /** Whether there is nothing left to play. */
  readonly isStarving: () => boolean;
  /** A key is wanted although the leases were given back. */
  readonly onWoken: () => void;
  /** Stops what is played. */
  readonly stop: () => void;
}

/** The playing of one content: its lease, its keys, and its end. */
export interface Session {
  readonly keys: KeyStore;
  readonly leases: SessionLeases;
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
  const { emitter, metrics, clock } = ports;
  const failure = createDeferred<never>();
  const ending = new AbortController();
  const { patienceMs } = ports;
  const givesUp = (sinceMs: number) => ports.isStarving() && clock.now() - sinceMs >= patienceMs;
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
    leases.stop();
    ports.stop();
    emitter.emit('error', error);
  }

  return {
    keys: createKeyStore({
      ...ports,
      ...patience,
      leases,
      onRetry: onRetry('key'),
      onRefused: fail,
      ended: ending.signal,
      onAttempt(url, { status, durationMs }) {
        metrics.keyRequested(durationMs, status > 0);
        emitter.emit('key', { url, status, durationMs });
      },
    }),
    leases,
    failure: failure.promise,
    token() {
      const startMs = clock.now();
      const attempt = () => ports.server.token('key');
      return retry(attempt, {
        ...patience,
        ...keyBackOff,
        givesUp: () => givesUp(startMs),
        onRetry: onRetry('key'),
        signal: ending.signal,
      });
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
