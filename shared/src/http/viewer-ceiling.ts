import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../clock/clock.ts';
import { createWindows, type LimitName, refuseOverLimit, senderOf, windowSeconds } from './rate-limit.ts';

/**
 * Twenty a second. No player comes near it, and one token adds at most some 800 KB of rows a minute. It is more than the active leases
 * that a viewer may have, so that a client that makes all of them at once reaches that limit first.
 */
const actsPerMinute = 1_200;

/** Acts that a viewer does for itself and that cost rows or signatures, by their name in the audit. Acts with one limit count together. */
const countedAs: Readonly<Record<string, LimitName>> = {
  'lease.create': 'leases',
  'lease.renew': 'leases',
  'session.create': 'leases',
  'upload.presign': 'presign',
};

/** A hook of a route after the guard: refuses a viewer that acts too often. */
type CountViewerAct = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void;

/** Returns the hook for a route; null for a route that it does not count. */
export type ViewerCeiling = (action: string | undefined) => CountViewerAct | null;

/**
 * Bounds what one viewer can write in a minute. No setting lifts it, because a token of a viewer must not fill the disk with
 * `RATE_LIMIT=off` either. It counts in the memory of this process alone: several processes allow as many times the figure, and none
 * waits for another. API keys are not counted.
 */
export function createViewerCeiling(
  clock: Pick<Clock, 'monotonic'>,
  onLimited: (limit: LimitName) => void = () => {},
): ViewerCeiling {
  const windows = createWindows(clock, windowSeconds);
  return (action) => {
    const name = action === undefined ? undefined : countedAs[action];
    if (!name) return null;
    return (request, reply, done) => {
      if (request.principal?.kind === 'api-key') return done();
      const window = windows.count(`${name} ${senderOf(request)}`);
      if (window.count <= actsPerMinute) return done();
      onLimited(name);
      const ttlInSeconds = windows.secondsLeft(window);
      done(refuseOverLimit(reply, name, { max: actsPerMinute, remaining: 0, ttlInSeconds }));
    };
  };
}
