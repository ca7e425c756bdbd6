import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../clock/clock.ts';
import { viewerIdOf } from '../contracts/index.ts';
import { AppError } from '../errors/errors.ts';
import { networkOf } from '../net/index.ts';
import type { RedisConnection } from '../replicas/index.ts';
import type { App } from './routes.ts';

/**
 * The figure of each limit, and whether it is another one for API keys: they serve many viewers, or encode a whole film. What the dashboard
 * reads is counted for its API key, because admins share an address.
 */
const limits = {
  keys: { figure: 'rateLimitKeysPerMinute', apiKeysHaveOwn: true },
  api: { figure: 'rateLimitApiPerMinute', apiKeysHaveOwn: false },
  dashboard: { figure: 'rateLimitDashboardPerMinute', apiKeysHaveOwn: false },
  presign: { figure: 'rateLimitPresignPerMinute', apiKeysHaveOwn: true },
  leases: { figure: 'rateLimitLeasesPerMinute', apiKeysHaveOwn: true },
  playlists: { figure: 'rateLimitPlaylistsPerMinute', apiKeysHaveOwn: false },
} as const satisfies Record<string, { figure: string; apiKeysHaveOwn: boolean }>;
/** Requests a minute (`rateLimitVariables`). */
export type RateLimits = Record<(typeof limits)[LimitName]['figure'] | 'rateLimitApiKeyPerMinute', number>;
export const windowSeconds = 60;
/** The value that the dashboard sends as `X-Requested-With`. Any holder of an API key can send it, and its reads count for that key. */
const dashboardName = 'latchkey-dashboard';
/** Before each key in Redis. */
const redisPrefix = 'latchkey:1:rate:';
/** Maximum number of keys counted in memory; each takes some hundred bytes. */
const countedKeys = 100_000;

export type LimitName = keyof typeof limits;

export interface RateLimiterOptions {
  /**
   * To the Redis in which the replicas of a service count together. While it is down, no request is counted or refused: a limit protects
   * the server, and waiting for a dead Redis would not.
   */
  connection?: RedisConnection | undefined;
  /** Called for each refused request. */
  onLimited?: (limit: LimitName) => void;
}

/** Counts a request against its route's limit. */
export type RateLimiter = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/**
 * Enforces the limits. A viewer's requests count per viewer, because many viewers share one address. An API key's requests
 * count per key if the limit has a separate figure for API keys. All others count per client IP, and a /64 of IPv6 is one
 * address. A request that is refused for its credential counts against its address.
 *
 * @param figures requests a minute
 * @returns a function that rejects with AppError RATE_LIMITED
 */
export async function createRateLimiter(
  app: App,
  figures: RateLimits,
  { connection, onLimited = () => {} }: RateLimiterOptions = {},
): Promise<RateLimiter> {
  // Loaded only here: rate limits are off by default.
  const { default: rateLimit } = await import('@fastify/rate-limit');
  await app.register(rateLimit, {
    global: false,
    cache: countedKeys,
    skipOnError: true,
    ...(connection ? { redis: connection.redis, nameSpace: redisPrefix } : {}),
  });
  const count = (name: LimitName, max: number, keyOf: (request: FastifyRequest) => string) =>
    app.createRateLimit({
      max,
      timeWindow: windowSeconds * 1_000,
      keyGenerator: (request) => `${name} ${keyOf(request)}`,
    });
  const counters = Object.fromEntries(
    (Object.keys(limits) as LimitName[]).map((name) => [
      name,
      {
        usual: count(name, figures[limits[name].figure], name === 'dashboard' ? apiKeyOf : senderOf),
        ofApiKey: count(name, figures.rateLimitApiKeyPerMinute, apiKeyOf),
      },
    ]),
  ) as Record<LimitName, Record<'usual' | 'ofApiKey', ReturnType<typeof count>>>;

  return async (request, reply) => {
    const name = limitOf(request);
    if (!name || connection?.isUp() === false) return;
    const isOwn = limits[name].apiKeysHaveOwn && request.principal?.kind === 'api-key';
    const counter = counters[name][isOwn ? 'ofApiKey' : 'usual'];
    const counted = await counter(request);
    if (counted.isAllowed) return;
    if (!counted.isExceeded) return showLimit(reply, name, counted);
    onLimited(name);
    throw refuseOverLimit(reply, name, counted);
  };
}

/** The state of a sender's limit in its present window. */
interface LimitState {
  max: number;
  remaining: number;
  ttlInSeconds: number;
}

/** draft-ietf-httpapi-ratelimit-headers-10, sections 3 and 4. */
export function showLimit(
  reply: FastifyReply,
  name: LimitName | 'sessions',
  { max, remaining, ttlInSeconds }: LimitState,
  seconds = windowSeconds,
): void {
  reply.header('ratelimit-policy', `"${name}";q=${max};w=${seconds}`);
  reply.header('ratelimit', `"${name}";r=${remaining};t=${ttlInSeconds}`);
}

/** @returns the error of the answer, whose headers it sets */
export function refuseOverLimit(reply: FastifyReply, name: LimitName, state: LimitState): AppError {
  showLimit(reply, name, state);
  return new AppError('RATE_LIMITED', {
    detail: `This takes ${state.max} requests in ${windowSeconds} seconds.`,
    retryAfterSeconds: state.ttlInSeconds,
  });
}

/**
 * Counts senders in the memory of this process, in windows of one length. Windows that are over are removed. If there are too many, the
 * sender that came first is removed.
 */
export function createWindows(clock: Pick<Clock, 'monotonic'>, seconds: number, sendersAtMost = countedKeys) {
  const windows = new Map<string, { count: number; endsAtMs: number }>();
  /** The window of a sender; undefined if it has none, or if that is over. */
  const find = (sender: string) => {
    const window = windows.get(sender);
    return window && window.endsAtMs > clock.monotonic() ? window : undefined;
  };
  return {
    /** Whether no sender was counted of late, which is known without its name. */
    isEmpty: () => windows.size === 0,
    find,
    /** Adds one to the window of the sender, which may begin with it. */
    count(sender: string) {
      const nowMs = clock.monotonic();
      let window = find(sender);
      if (!window) {
        // In the order of their ends.
        for (const [ended, { endsAtMs }] of windows) {
          if (endsAtMs > nowMs) break;
          windows.delete(ended);
        }
        window = { count: 0, endsAtMs: nowMs + seconds * 1_000 };
        windows.set(sender, window);
        if (windows.size > sendersAtMost) windows.delete(windows.keys().next().value as string);
      }
      window.count++;
      return window;
    },
    /** Whole seconds until a window is over. */
    secondsLeft: ({ endsAtMs }: { endsAtMs: number }) => Math.ceil((endsAtMs - clock.monotonic()) / 1_000),
  };
}

function limitOf({ method, headers, principal, routeOptions }: FastifyRequest): LimitName | undefined {
  const isDashboardRead =
    method === 'GET' && headers['x-requested-with'] === dashboardName && principal?.kind === 'api-key';
  const { limit } = routeOptions.config;
  return limit === 'api' && isDashboardRead ? 'dashboard' : limit;
}

/** The viewer; else the client IP, where a /64 of IPv6 is one. */
export function senderOf(request: FastifyRequest): string {
  const viewerId = request.principal?.kind === 'viewer' ? viewerIdOf(request.principal) : null;
  return viewerId === null ? `ip ${networkOf(request.clientIp)}` : `viewer ${viewerId}`;
}

function apiKeyOf({ principal }: FastifyRequest): string {
  return `api-key ${principal?.id ?? 'bootstrap'}`;
}
