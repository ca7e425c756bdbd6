import type { Bus, createInProcessBus } from '@latchkey/shared/events';
import type { Message } from './calls.ts';

/** A worker as the announcements see it. */
interface Listener {
  send(message: Message): void;
  /** The last announcement that it has applied. */
  applied: number;
  /** Whether answers wait for it. Not after it has missed the limit, until it has caught up. */
  isAwaited: boolean;
}

/**
 * How long an answer waits for a worker that does not react. A worker applies a change within a millisecond. One that is stopped must
 * not delay every act, and its states are unknown after `AUTHORITY_MAX_AGE_SECONDS` in any case.
 */
const waitAtMostMs = 1_000;

/** The bus of the parent: what is published here reaches every worker. */
export interface Announcements {
  bus: Bus;
  add(id: number, send: (message: Message) => void): void;
  remove(id: number): void;
  /** A worker has applied everything up to this announcement. */
  noteApplied(id: number, number: number): void;
  /**
   * Resolves once every worker has applied what was announced so far, so that no worker acts by an older state after the answer
   * to the act. Resolves after a second in any case. Null where nothing is outstanding.
   */
  settled(): Promise<void> | null;
}

export function createAnnouncements(local: ReturnType<typeof createInProcessBus>): Announcements {
  const listeners = new Map<number, Listener>();
  let waiting: { number: number; resolve: () => void }[] = [];
  let last = 0;

  const isSettled = (number: number) =>
    [...listeners.values()].every(({ applied, isAwaited }) => !isAwaited || applied >= number);

  function review(): void {
    waiting = waiting.filter(({ number, resolve }) => {
      if (!isSettled(number)) return true;
      resolve();
      return false;
    });
  }

  return {
    bus: {
      ...local,
      publish(message) {
        local.publish(message);
        // Notices are for the event stream, which the parent serves.
        if (message.type === 'notice') return;
        last++;
        for (const { send } of listeners.values()) send({ type: 'announcement', number: last, message });
      },
    },
    add(id, send) {
      listeners.set(id, { send, applied: last, isAwaited: true });
    },
    remove(id) {
      listeners.delete(id);
      review();
    },
    noteApplied(id, number) {
      const listener = listeners.get(id);
      if (!listener) return;
      listener.applied = Math.max(listener.applied, number);
      if (listener.applied === last) listener.isAwaited = true;
      review();
    },
    settled() {
      const number = last;
      if (isSettled(number)) return null;
      return new Promise((resolve) => {
        const timer = setTimeout(() => {
          for (const listener of listeners.values())
            if (listener.applied < number) listener.isAwaited = false;
          review();
        }, waitAtMostMs);
        waiting.push({
          number,
          resolve() {
            clearTimeout(timer);
            resolve();
          },
        });
      });
    },
  };
}
