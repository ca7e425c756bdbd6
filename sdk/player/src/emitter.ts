import type { Lease } from './lease.ts';
import type { KeyWaitCode, PlayerError } from './player-error.ts';

/**
 * The server has said when it serves a key that is needed. Playback goes on while the buffer lasts, and the player asks again by
 * itself. `EPOCH_NOT_YET`: the key's period has not begun. `KEY_PACE_EXCEEDED`: the viewer needs keys faster than the content's
 * pace allows, usually after many seeks.
 */
export interface KeyWait {
  readonly code: KeyWaitCode;
  readonly url: string;
  /** Until the player asks again. */
  readonly delayMs: number;
  /** `EPOCH_NOT_YET`: when the key is served, by the server's clock (ISO 8601). */
  readonly opensAt?: string | undefined;
  /** `EPOCH_NOT_YET`: the epoch of now, negative before the first. */
  readonly currentEpoch?: number | undefined;
}

/**
 * AirPlay in addition to hls.js. `offered`: Safari may offer a receiver. `connected`, `disconnected`: the receiver plays, or this page again.
 * `failed`: there is no session for a receiver, or it has ended; playback in this page goes on.
 */
export interface RemoteChange {
  readonly state: 'offered' | 'connected' | 'disconnected' | 'failed';
  readonly error?: PlayerError;
}

/** The events of a player. */
export interface PlayerEvents {
  /** Playback has ended. Only another `load()` starts it again. */
  error: PlayerError;
  /** A request failed and is retried, for example because the server is down. Playback goes on while the buffer lasts. */
  retrying: { what: 'key' | 'lease'; error: PlayerError; attempt: number; delayMs: number };
  keyWait: KeyWait;
  /** A lease was taken or renewed; null when it was released or lost. */
  lease: Lease | null;
  remote: RemoteChange;
  /** A key request has ended. `status` is 0 without an answer. */
  key: { url: string; status: number; durationMs: number };
}

export interface Emitter {
  /** @returns removes the listener */
  on<E extends keyof PlayerEvents>(event: E, listener: (data: PlayerEvents[E]) => void): () => void;
  emit<E extends keyof PlayerEvents>(event: E, data: PlayerEvents[E]): void;
  clear(): void;
}

export function createEmitter(): Emitter {
  const listeners = new Map<string, Set<(data: never) => void>>();
  return {
    on(event, listener) {
      const ofEvent = listeners.get(event) ?? new Set();
      listeners.set(event, ofEvent.add(listener));
      return () => ofEvent.delete(listener);
    },
    emit(event, data) {
      for (const listener of [...(listeners.get(event) ?? [])]) {
        try {
          listener(data as never);
        } catch (error) {
          // A fault of the application must not stop the player. It becomes an uncaught error.
          queueMicrotask(() => {
            throw error;
          });
        }
      }
    },
    clear: () => listeners.clear(),
  };
}

/** @param error for which `isKeyWait` holds */
export function toKeyWait(
  url: string,
  { code, opensAt, currentEpoch }: PlayerError,
  delayMs: number,
): KeyWait {
  return { code: code as KeyWaitCode, url, delayMs, opensAt, currentEpoch };
}
