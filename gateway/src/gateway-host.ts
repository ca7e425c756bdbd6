import { randomUUID } from 'node:crypto';
import type { CorsOrigins, SingleNodeValues } from '@latchkey/shared/config';
import {
  type App,
  addHealthRoutes,
  addOpenApi,
  createHost,
  foreignPageReason,
  isOfAnotherSite,
  type OpenApiDocument,
} from '@latchkey/shared/http';
import { createHidePersons, createRequestLog, type RequestLog } from '@latchkey/shared/log';
import { resolveClientIp } from '@latchkey/shared/net';
import type { ProcessContext, StartContext } from '@latchkey/shared/process';
import { addAdminFiles } from './admin-files.ts';
import { addCors, createCorsHeaders } from './cors.ts';
import { createPersonTaker } from './take-person.ts';

type HostValues = Pick<
  SingleNodeValues,
  'trustProxy' | 'corsOrigins' | 'viewerTokenFrom' | 'publicUrl' | 'overloadDelayMs' | 'trustTraceparent'
> &
  Partial<Pick<SingleNodeValues, 'dashboardUserHeader' | 'dashboardUserSecret'>>;

interface GatewayHostOptions
  extends Pick<ProcessContext, 'clock' | 'log' | 'metrics' | 'tracer'>,
    Pick<StartContext<HostValues>, 'version' | 'values' | 'readiness'> {
  requestLog: RequestLog;
  /** For separate services: reads their OpenAPI documents. */
  serviceDocuments?: () => Promise<OpenApiDocument[]>;
}

/** The host of both profiles, before services are mounted on it or requests forwarded from it. It holds no secret. */
export async function createGatewayHost(options: GatewayHostOptions): Promise<App> {
  const { version, clock, log, metrics, tracer, values, readiness, requestLog } = options;
  const { trustProxy, corsOrigins, viewerTokenFrom, publicUrl = null, overloadDelayMs } = values;
  const app = createHost({
    randomId: randomUUID,
    clientIpOf: ({ socket, headers }) =>
      resolveClientIp(trustProxy, socket.remoteAddress, headers['x-forwarded-for']),
    personOf: createPersonTaker(values),
    requestLog,
    operatorLog: log,
    metrics,
    tracing: tracer && { tracer, isTrusted: () => values.trustTraceparent, beginsTraces: true },
    isDraining: readiness.isDraining,
    overload:
      overloadDelayMs === 'off'
        ? undefined
        : { delayMs: overloadDelayMs, random: Math.random, nowMs: clock.monotonic },
    crossOriginHeaders: createCorsHeaders(corsOrigins, viewerTokenFrom),
  });
  await addCors(app, corsOrigins, viewerTokenFrom);
  ignoreForeignCookies(app, corsOrigins, publicUrl);
  addOpenApi(app, { version, publicUrl, clock, others: options.serviceDocuments });
  addHealthRoutes(app, { version, readiness, clock });
  await addAdminFiles(app, publicUrl);
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
export const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

type RequestLogValues = Pick<SingleNodeValues, 'logLevel' | 'logClientIp' | 'logViewerId'>;

/** Opens the log of requests on standard output, which is flushed at the end of the process. */
export function openRequestLog({
  values,
  identity,
  process,
  shutdown,
}: Pick<StartContext<RequestLogValues>, 'values' | 'identity' | 'process' | 'shutdown'>): RequestLog {
  const { logLevel, logClientIp: clientIp, logViewerId: viewerId } = values;
  const hidePersons = createHidePersons({ clientIp, viewerId });
  const requestLog = createRequestLog(logLevel, process.stdout.fd, { identity, hidePersons });
  shutdown.add('the last log lines', 1_000, () => requestLog.flush());
  return requestLog;
}
