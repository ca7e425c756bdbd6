import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Authority } from '../authority/index.ts';
import type { Clock } from '../clock/clock.ts';
import type { SessionId } from '../contracts/index.ts';
import { AppError } from '../errors/errors.ts';
import { networkOf } from '../net/index.ts';
import { createWindows, showLimit } from './rate-limit.ts';

/**
 * Ids of sessions that name nothing, from one sender in one window. A viewer has none: its URL is copied whole or is not. A hundred leave
 * room for an address that many share, and are ten look-ups a second.
 */
const wrongAtMost = 100;
const windowSeconds = 10;
/** Senders that are counted, some 1 MB. */
const sendersAtMost = 10_000;

/**
 * Limits how many sessions a stranger can have looked up. An id needs no other credential, so each made-up one would cost a read of the
 * database. Sessions whose state is known are never refused, so viewers who share an address with a stranger play on.
 */
export type WrongSessions = ReturnType<typeof createWrongSessions>;

export function createWrongSessions({
  leases,
  clock,
}: {
  leases: Pick<Authority['leases'], 'glance'>;
  clock: Pick<Clock, 'monotonic'>;
}) {
  /** By the sender's network. */
  const windows = createWindows(clock, windowSeconds, sendersAtMost);
  return {
    /** @throws AppError RATE_LIMITED where the session is not known and the sender has named too many wrong ones */
    assertMayLookUp({ leaseId }: SessionId, { clientIp }: FastifyRequest, reply: FastifyReply): void {
      // Usually nobody has named a wrong one.
      if (windows.isEmpty()) return;
      const window = windows.find(networkOf(clientIp));
      if (!window || window.count < wrongAtMost || leases.glance(leaseId)) return;
      const seconds = windows.secondsLeft(window);
      const state = { max: wrongAtMost, remaining: 0, ttlInSeconds: seconds };
      showLimit(reply, 'sessions', state, windowSeconds);
      throw new AppError('RATE_LIMITED', {
        detail: 'Too many wrong sessions come from this address. This one is not looked up now.',
        retryAfterSeconds: seconds,
      });
    },
    /** Notes an answer INVALID_SESSION. */
    note(clientIp: string): void {
      windows.count(networkOf(clientIp));
    },
  };
}
