import { randomUUID } from 'node:crypto';
import type { Clock } from '@latchkey/shared/clock';
import type { CorsOrigins, ViewerTokenPlace } from '@latchkey/shared/config';
import {
  type App,
  addHealthRoutes,
  addOpenApi,
  createHost,
  foreignPageReason,
  isOfAnotherSite,
} from '@latchkey/shared/http';
import type { Readiness } from '@latchkey/shared/lifecycle';
import type { OperatorLog, RequestLog } from '@latchkey/shared/log';
import type { Metrics } from '@latchkey/shared/metrics';
import { resolveClientIp, type TrustProxy } from '@latchkey/shared/net';
import type { Tracer } from '@latchkey/shared/traces';
import { addAdminFiles } from './admin-files.ts';
import { addCors, createCorsHeaders } from './cors.ts';

interface GatewayOptions {
  version: string;
  clock: Clock;
  trustProxy: TrustProxy;
  corsOrigins: CorsOrigins;
  /** `VIEWER_TOKEN_FROM`. */
  viewerTokenFrom: readonly ViewerTokenPlace[];
  publicUrl: string | null;
  readiness: Readiness;
  requestLog: RequestLog;
  operatorLog: OperatorLog;
  metrics: Metrics;
  /** `OVERLOAD_DELAY_MS`. Left out: no request is refused for an overload. */
  overloadDelay?: number | 'off';
  /** Null or left out: traces are off. */
  tracer?: Tracer | null;
  /** `TRUST_TRACEPARENT`. */
  trustTraceparent?: boolean;
  /** For separate services: reads their OpenAPI documents. */
  serviceDocuments?: () => Promise<{ paths?: Record<string, unknown> }[]>;
}

/** The host of both profiles, before services are mounted on it or requests forwarded from it. It holds no secret. */
export async function createGateway(options: GatewayOptions): Promise<App> {
  const { trustProxy, readiness, clock, version, publicUrl, overloadDelay = 'off' } = options;
  const app = createHost({
    randomId: randomUUID,
    clientIpOf: ({ socket, headers }) =>
      resolveClientIp(trustProxy, socket.remoteAddress, headers['x-forwarded-for']),
    requestLog: options.requestLog,
    operatorLog: options.operatorLog,
    metrics: options.metrics,
    tracing: options.tracer
      ? { tracer: options.tracer, isTrusted: () => options.trustTraceparent === true, beginsTraces: true }
      : null,
    isDraining: readiness.isDraining,
    overload:
      overloadDelay === 'off'
        ? undefined
        : { delayMs: overloadDelay, random: Math.random, nowMs: clock.monotonic },
    crossOriginHeaders: createCorsHeaders(options.corsOrigins, options.viewerTokenFrom),
  });
  await addCors(app, options.corsOrigins, options.viewerTokenFrom);
  ignoreForeignCookies(app, options.corsOrigins, publicUrl);
  const { serviceDocuments } = options;
  addOpenApi(app, { version, publicUrl, clock, others: serviceDocuments });
  addHealthRoutes(app, { version, readiness, clock });
  await addAdminFiles(app);
  return app;
}

/**
 * Drops the cookies of a request that a page of another origin makes, unless `CORS_ORIGINS` lists that origin. A browser sends a viewer's
 * cookie (`VIEWER_TOKEN_FROM`) with the requests of any page, so a cookie alone does not prove that the viewer wants the request. Without
 * the cookie the request has no credential: 401.
 *
 * @param publicUrl `PUBLIC_URL`, null if it is not set
 */
function ignoreForeignCookies(app: App, origins: CorsOrigins, publicUrl: string | null): void {
  // With `*` the operator did not choose the pages, and browsers send no cookies for them.
  const listed = new Set<string>(origins === '*' ? [] : origins);
  app.addHook('onRequest', ({ method, headers }, _reply, done) => {
    if (headers.cookie === undefined) return done();
    if (headers.origin !== undefined && listed.has(headers.origin)) return done();
    const isForeign = safeMethods.has(method)
      ? isOfAnotherSite(headers)
      : foreignPageReason(headers, publicUrl) !== null;
    if (isForeign) delete headers.cookie;
    done();
  });
}

/**
 * Methods that change nothing (RFC 9110 section 9.2.1), although a key request takes from a viewer's pace. Players that send only a cookie
 * (native HLS) use GET without an origin, so a page of the same site keeps its cookie: `www.example.com` with keys of `keys.example.com`.
 */
const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);
