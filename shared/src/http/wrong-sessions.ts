import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Authority } from '../authority/index.ts';
import type { Clock } from '../clock/clock.ts';
import type { SessionId } from '../contracts/index.ts';
import { AppError } from '../errors/errors.ts';
import { networkOf } from '../net/index.ts';

/**
 * Ids of sessions that name nothing, from one sender in one window. A viewer has none: its URL is copied whole or is not. A hundred leave
 * room for an address that many share, and are ten look-ups a second.
 */
const wrongAtMost = 100;
const windowSeconds = 10;
/** Senders that are counted, some 1 MB. The one that was seen longest ago goes if there are more. */
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
  /** By the sender's network. A size in place of `max`, which takes the room of all senders at once. */
  const windows = new LRUCache<string, { count: number }>({
    maxSize: sendersAtMost,
    sizeCalculation: () => 1,
    ttl: windowSeconds * 1_000,
    ttlResolution: 0,
    perf: { now: () => clock.monotonic() },
  });

  return {
    /** @throws AppError RATE_LIMITED where the session is not known and the sender has named too many wrong ones */
    assertMayLookUp({ leaseId }: SessionId, { clientIp }: FastifyRequest, reply: FastifyReply): void {
      // Usually nobody has named a wrong one.
      if (windows.size === 0) return;
      const sender = networkOf(clientIp);
      const window = windows.get(sender);
      if (!window || window.count < wrongAtMost || leases.glance(leaseId)) return;
      const seconds = Math.ceil(windows.getRemainingTTL(sender) / 1_000);
      // draft-ietf-httpapi-ratelimit-headers-10, sections 3 and 4.
      reply.header('ratelimit-policy', `"sessions";q=${wrongAtMost};w=${windowSeconds}`);
      reply.header('ratelimit', `"sessions";r=0;t=${seconds}`);
      throw new AppError('RATE_LIMITED', {
        detail: 'Too many wrong sessions come from this address. This one is not looked up now.',
        retryAfterSeconds: seconds,
      });
    },
    /** Notes an answer INVALID_SESSION. */
    note(clientIp: string): void {
      const sender = networkOf(clientIp);
      const known = windows.get(sender);
      if (known) known.count++;
      else windows.set(sender, { count: 1 });
    },
  };
}
