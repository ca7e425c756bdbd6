import type { FastifyReply, FastifyRequest } from 'fastify';
import { keyUnknown } from '../auth/index.ts';
import { isUuid, type LoggedRevocation, type Principal, viewerIdOf } from '../contracts/index.ts';
import type { ErrorCode } from '../errors/errors.ts';
import { type RequestLine, type RequestLog, redact, redactId, redactPath } from '../log/index.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { keepContents, kindOfRequest, type RefusedRequest, readKeyPath } from '../statistics/index.ts';
import type { Tracer } from '../traces/index.ts';

/** In place of a lease id that has not the form of one: a caller may send any text, such as the id of a session. */
const hiddenLeaseId = '***';

/** nginx introduced this status, and it is the usual way to log a client that left before its answer. */
const clientClosedRequest = 499;
const unavailable = 503;

/** @returns writes the log line and the metrics of a request that has ended, however it ended */
export function createResponseObserver(
  requestLog: RequestLog | null,
  metrics: Metrics,
  tracer?: Tracer | undefined,
) {
  return (request: FastifyRequest, { raw: response }: FastifyReply, durationMs: number): void => {
    const { id, raw, principal, errorCode: code, failure, revocation, clientIp } = request;
    const { method = '', headers } = raw;
    const path = redactPath(raw.url ?? '');
    // Null where the router found none.
    const route = request.answeredRoute ?? request.routeOptions.url ?? null;
    const userAgent = headers['user-agent'];
    const status =
      response.writableFinished || response.headersSent ? response.statusCode : clientClosedRequest;
    // A service sends the gateway this text with its answer.
    const isUnknownKey = status === unavailable && failure?.cause === keyUnknown;
    metrics.observeRequest(route ?? 'none', method, status, durationMs / 1_000, isUnknownKey);
    if (code && status !== clientClosedRequest) noteRefusal(metrics, request, { code, status, path, route });
    tracer?.served(raw, { method, route, status, code: code ?? null });
    if (!requestLog) return;
    const line: RequestLine = {
      requestId: redactId(id),
      method,
      path,
      route,
      status,
      durationMs: Math.round(durationMs * 1_000) / 1_000,
      clientIp,
      userAgent: userAgent === undefined ? null : redact(userAgent),
      principal: principal ? { kind: principal.kind, id: principal.id && redactId(principal.id) } : null,
      code: code ?? null,
    };
    const traceId = tracer?.traceIdOf(raw);
    if (traceId) line.traceId = traceId;
    if (failure) line.failure = failure;
    if (revocation) line.revocation = redactRevocation(revocation);
    requestLog.write(line);
  };
}

/** For the list of refusals, which only requests for keys and leases are in. */
function noteRefusal(
  { statistics }: Metrics,
  { id, raw, principal, clientIp }: FastifyRequest,
  { code, status, path, route }: { code: ErrorCode; status: number; path: string; route: string | null },
): void {
  const kind = kindOfRequest(route ?? 'none', raw.method ?? '');
  if (kind !== 'key' && kind !== 'lease') return;
  const lease = raw.headers['x-lease-id'];
  const given = typeof lease === 'string' && lease !== '' ? lease : null;
  const named = given === null || isUuid(given) ? given : hiddenLeaseId;
  const asked = kind === 'key' ? readKeyPath(path) : { contentId: null, epoch: null };
  statistics.noteRefusal({
    kind,
    status,
    code,
    viewerId:
      principal?.kind === 'viewer' || principal?.kind === 'anonymous'
        ? redactId(viewerIdOf(principal) ?? '')
        : null,
    ...readTokenClaims(principal, asked.contentId),
    apiKeyId: principal?.kind === 'api-key' ? principal.id : null,
    ...asked,
    leaseId: principal?.kind === 'session' ? principal.id : named,
    clientIp,
    requestId: redactId(id),
  });
}

/** The claims in the token of a refused request. The gateway knows a principal of another process by kind and id alone. */
function readTokenClaims(
  principal: Principal | null | undefined,
  contentId: string | null,
): Pick<RefusedRequest, 'issuedAt' | 'contentIds'> {
  // Marks hold against an anonymous viewer as against a token without `iat`.
  if (principal?.kind === 'anonymous') return { issuedAt: null, contentIds: null };
  if (principal?.kind !== 'viewer' || principal.issuedAt === undefined) return {};
  const { issuedAt, contents } = principal;
  return {
    // Issuers may write fractions of a second.
    issuedAt: issuedAt === null ? null : Math.floor(issuedAt),
    contentIds: contents && keepContents(contents, contentId),
  };
}

/** A caller may have put a raw key or token into a viewer's id. */
function redactRevocation({ viewerId, ...ids }: LoggedRevocation): LoggedRevocation {
  return { ...ids, ...(viewerId !== undefined && { viewerId: redactId(viewerId) }) };
}
