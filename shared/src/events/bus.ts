import { type BusMessage, parseBusMessage } from './message.ts';

/**
 * Carries messages to every replica as fast as it can. A message is a hint: it may be lost, doubled or late. The change
 * feed brings every change of authority in any case.
 */
export interface Bus {
  /** Never throws and never waits. */
  publish(message: BusMessage): void;
  /** @returns the function that ends the subscription */
  subscribe(listener: (message: BusMessage) => void): () => void;
  /** For the readiness report. */
  state(): 'up' | 'down';
}

/** The bus within one process: when `publish` returns, every listener has received the message. */
export function createInProcessBus(onFault: (error: unknown) => void): Bus {
  const listeners = new Set<(message: BusMessage) => void>();
  return {
    publish(message) {
      // Parsed here too, so that a single process refuses the same messages as several processes.
      const parsed = parseBusMessage(message);
      if (!parsed) return onFault(new TypeError('a malformed message was published'));
      for (const listener of listeners) {
        try {
          listener(parsed);
        } catch (error) {
          onFault(error);
        }
      }
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    state: () => 'up',
  };
}
