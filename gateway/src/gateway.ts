import { randomUUID } from 'node:crypto';
import type { Clock } from '@latchkey/shared/clock';
import type { CorsOrigins, ViewerTokenPlace } from '@latchkey/shared/config';
import { type App, addHealthRoutes, addOpenApi, createHost } from '@latchkey/shared/http';
import type { Readiness } from '@latchkey/shared/lifecycle';
import type { OperatorLog, RequestLog } from '@latchkey/shared/log';
import type { Metrics } from '@latchkey/shared/metrics';
import { resolveClientIp, type TrustProxy } from '@latchkey/shared/net';
import { addAdminFiles } from './admin-files.ts';
import { addCors, createCorsHeaders, ignoreForeignCookies } from './cors.ts';

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
  /** For separate services: reads their OpenAPI documents. */
  serviceDocuments?: Parameters<typeof addOpenApi>[1]['others'];
}

/** The host of both profiles, before services are mounted on it or requests forwarded from it. It holds no secret. */
export async function createGateway(options: GatewayOptions): Promise<App> {
  const { trustProxy, readiness, clock, version, publicUrl } = options;
  const app = createHost({
    randomId: randomUUID,
    clientIpOf: ({ socket, headers }) =>
      resolveClientIp(trustProxy, socket.remoteAddress, headers['x-forwarded-for']),
    requestLog: options.requestLog,
    operatorLog: options.operatorLog,
    metrics: options.metrics,
    isDraining: readiness.isDraining,
    crossOriginHeaders: createCorsHeaders(options.corsOrigins, options.viewerTokenFrom.includes('cookie')),
  });
  await addCors(app, options.corsOrigins, options.viewerTokenFrom.includes('cookie'));
  ignoreForeignCookies(app, options.corsOrigins, publicUrl);
  const { serviceDocuments } = options;
  await addOpenApi(app, { version, publicUrl, ...(serviceDocuments ? { others: serviceDocuments } : {}) });
  addHealthRoutes(app, { version, readiness, clock });
  await addAdminFiles(app);
  return app;
}
