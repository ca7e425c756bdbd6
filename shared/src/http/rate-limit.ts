import rateLimit from '@fastify/rate-limit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { viewerIdOf } from '../auth/index.ts';
import type { RedisConnection } from '../cache/index.ts';
import { AppError } from '../errors/index.ts';
import type { App } from './routes.ts';

/** The specification, section 8: requests per minute. */
const limits = { keys: 60, api: 30, presign: 10, leases: 10 };
const windowSeconds = 60;
/** Before each key in Redis. */
const redisPrefix = 'latchkey:1:rate:';
/** Keys counted in memory at a time; each takes some hundred bytes. */
const countedKeys = 100_000;

export type LimitName = keyof typeof limits;

/** Counts a request against its route's limit. */
export type RateLimiter = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/**
 * Enforces the recommended limits: per viewer where there is one, because many viewers share one address, else per
 * client IP. A request that is refused for its credential counts against its address.
 *
 * @param connection to the Redis in which the replicas of a service count together. While it is down nothing is counted and
 *   nobody is refused: a limit protects the server, and who waits for a dead Redis is not protected.
 * @returns a function that rejects with AppError RATE_LIMITED
 */
export async function createRateLimiter(app: App, connection?: RedisConnection): Promise<RateLimiter> {
  await app.register(rateLimit, {
    global: false,
    cache: countedKeys,
    skipOnError: true,
    ...(connection ? { redis: connection.redis, nameSpace: redisPrefix } : {}),
  });
  const counters = Object.fromEntries(
    Object.entries(limits).map(([name, max]) => [
      name,
      app.createRateLimit({
        max,
        timeWindow: windowSeconds * 1_000,
        keyGenerator: (request) => `${name} ${keyOf(request)}`,
      }),
    ]),
  );

  return async (request, reply) => {
    const name = request.routeOptions.config.limit;
    const counter = name && counters[name];
    if (!counter || connection?.isUp() === false) return;
    const count = await counter(request);
    if (count.isAllowed) return;
    // draft-ietf-httpapi-ratelimit-headers-10, sections 3 and 4.
    reply.header('ratelimit-policy', `"${name}";q=${count.max};w=${windowSeconds}`);
    reply.header('ratelimit', `"${name}";r=${count.remaining};t=${count.ttlInSeconds}`);
    if (!count.isExceeded) return;
    throw new AppError('RATE_LIMITED', {
      detail: `This takes ${count.max} requests in ${windowSeconds} seconds.`,
      retryAfterSeconds: count.ttlInSeconds,
    });
  };
}

function keyOf(request: FastifyRequest): string {
  const viewerId = request.principal?.kind === 'viewer' ? viewerIdOf(request.principal) : null;
  return viewerId === null ? `ip ${request.clientIp}` : `viewer ${viewerId}`;
}
