import type { IncomingMessage } from 'node:http';
import underPressure from '@fastify/under-pressure';
import { AppError } from '../errors/errors.ts';
import type { OperatorLog } from '../log/index.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { App } from './routes.ts';

/** How a host refuses requests while more come than it can serve. */
export interface OverloadOptions {
  /** How late the event loop may be, in milliseconds (`OVERLOAD_DELAY_MS`). */
  delayMs: number;
  /** From 0 to 1, without 1. */
  random: () => number;
  /** Milliseconds that never go back. */
  nowMs: () => number;
}

/**
 * How often the delay is taken, as the mean since the time before. A pause of the process, such as for its garbage, is too short to count in a
 * mean of a second.
 */
const sampleMs = 1_000;
/** hls.js and our player wait by rules of their own. Other clients come back at different times. */
const mostRetrySeconds = 3;
/** Overloads that follow each other within this time are logged once. */
const logEveryMs = 60_000;

/** The paths of keys, licences and playlists. */
const fetched = ['/keys/', '/licenses/', '/play/'];
/** New leases and sessions, which bring more requests later, and reports of players. */
const begun = ['/keys/leases', '/keys/sessions', '/api/v1/player-metrics'];

/**
 * Whether a request may be refused. Only requests that viewers send by the thousand may be. Probes, calls between services, the API, renewals
 * and revocations are few, and a revocation must not wait for an overload to end.
 */
export function mayBeRefused({ method, url = '' }: Pick<IncomingMessage, 'method' | 'url'>): boolean {
  if (method === 'GET' || method === 'HEAD') return fetched.some((path) => url.startsWith(path));
  return method === 'POST' && (begun.includes(url) || url.startsWith('/licenses/'));
}

/** Refuses requests of viewers with 503 while the event loop has been late on average for a second: more come than the process can serve. */
export function refuseOverload(app: App, options: OverloadOptions, parts: OverloadParts): void {
  const { begin, refuse } = createRefusal(options, parts);
  app.addHook('onListen', (done) => {
    begin();
    done();
  });
  app.register(underPressure, {
    maxEventLoopDelay: options.delayMs,
    sampleInterval: sampleMs,
    pressureHandler: ({ raw }) => refuse(raw),
  });
}

interface OverloadParts {
  operatorLog: Pick<OperatorLog, 'warn'>;
  metrics: Pick<Metrics, 'shedRequests'>;
}

/**
 * @returns `begin` is called when the process listens, and `refuse` for each request while the event loop is late. It throws AppError
 *   DEPENDENCY_UNAVAILABLE where the request is refused
 */
export function createRefusal(
  { delayMs, random, nowMs }: OverloadOptions,
  { operatorLog, metrics }: OverloadParts,
) {
  const shed = metrics.shedRequests.labels({ upstream: 'own', reason: 'overloaded' });
  let refusesFromMs = Number.POSITIVE_INFINITY;
  let loggedMs = Number.NEGATIVE_INFINITY;
  return {
    begin(): void {
      // Loading code keeps the event loop late, and the first mean still has some of that.
      refusesFromMs = nowMs() + 2 * sampleMs;
    },
    refuse(request: Pick<IncomingMessage, 'method' | 'url'>): void {
      const now = nowMs();
      if (now < refusesFromMs || !mayBeRefused(request)) return;
      shed.inc();
      if (now - loggedMs > logEveryMs) {
        loggedMs = now;
        operatorLog.warn(
          `more requests come than this process can serve: its event loop was later than ${delayMs} ms (OVERLOAD_DELAY_MS) for a second, and viewers get 503. Add processes`,
        );
      }
      throw new AppError('DEPENDENCY_UNAVAILABLE', {
        detail: 'More requests come than the server can serve. Try again later.',
        retryAfterSeconds: 1 + Math.floor(random() * mostRetrySeconds),
      });
    },
  };
}
