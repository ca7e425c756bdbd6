import type { Lease } from './lease.ts';
import type { PlayerError } from './player-error.ts';

/** The events of a player. */
export interface PlayerEvents {
  /** Playback has ended. Only another `load()` starts it again. */
  error: PlayerError;
  /** A request failed and is retried, for example because the server is down. Playback goes on while the buffer lasts. */
  retrying: { what: 'key' | 'lease'; error: PlayerError; attempt: number; delayMs: number };
  /** A lease was taken or renewed; null when it was released or lost. */
  lease: Lease | null;
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
