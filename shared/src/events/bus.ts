import { type BusMessage, parseBusMessage } from './message.ts';

/**
 * Carries messages to every replica as fast as it can. A hint, never the truth: a message may be lost, doubled or late,
 * and the change feed brings every change of authority all the same.
 */
export interface Bus {
  /** Never throws and never waits. */
  publish(message: BusMessage): void;
  /** @returns the end of the subscription */
  subscribe(listener: (message: BusMessage) => void): () => void;
  /** For the readiness report. */
  state(): 'up' | 'down';
}

/** The bus within one process: when `publish` returns, every listener has heard the message. */
export function createInProcessBus(onFault: (error: unknown) => void): Bus {
  const listeners = new Set<(message: BusMessage) => void>();
  return {
    publish(message) {
      // Parsed here too, so that one process accepts no message that several would refuse.
      const parsed = parseBusMessage(message);
      if (!parsed) return onFault(new TypeError('a message that is none was published'));
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
