import type { FastifyReply, FastifyRequest } from 'fastify';
import { type RequestLog, redact, redactPath } from '../log/index.ts';
import type { Metrics } from '../metrics/metrics.ts';

/** nginx introduced this status, and it is the usual way to log a client that left before its answer. */
const clientClosedRequest = 499;

/** Writes the log line and the metrics of a request that has ended, however it ended. */
export function createResponseObserver(
  requestLog: RequestLog | null,
  metrics: Metrics,
): (request: FastifyRequest, reply: FastifyReply, durationMs: number) => void {
  return (request, reply, durationMs) => {
    const { principal } = request;
    const userAgent = request.headers['user-agent'];
    const route = request.answeredRoute ?? (request.is404 ? null : (request.routeOptions.url ?? null));
    const status =
      reply.raw.writableFinished || reply.raw.headersSent ? reply.raw.statusCode : clientClosedRequest;
    metrics.observeRequest(route ?? 'none', request.method, status, durationMs / 1_000);
    requestLog?.write({
      requestId: redact(request.id),
      method: request.method,
      path: redactPath(request.raw.url ?? ''),
      route,
      status,
      durationMs: Math.round(durationMs * 1_000) / 1_000,
      clientIp: request.clientIp,
      userAgent: userAgent === undefined ? null : redact(userAgent),
      // Before the first hook, neither exists.
      principal: principal ? { kind: principal.kind, id: principal.id && redact(principal.id) } : null,
      code: request.errorCode ?? null,
    });
  };
}
