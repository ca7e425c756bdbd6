import type { Lease } from './lease.ts';
import type { PlayerError } from './player-error.ts';

/** What a player tells, by event. */
export interface PlayerEvents {
  /** Playback has ended for this reason. Only another `load()` starts it again. */
  error: PlayerError;
  /** Something failed and is tried again: a server that is away. Playback goes on while the buffer lasts. */
  retrying: { what: 'key' | 'lease'; error: PlayerError; attempt: number; delayMs: number };
  /** A lease was taken or renewed; null when it was given back or lost. */
  lease: Lease | null;
  /** A key request was answered, with 0 where there was no answer. */
  key: { url: string; status: number; durationMs: number };
}

export interface Emitter {
  /** @returns ends the listening */
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
          // A fault of the application is its own, and is not to stop the player: it shows as an uncaught error.
          queueMicrotask(() => {
            throw error;
          });
        }
      }
    },
    clear: () => listeners.clear(),
  };
}
