import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { SetupOrigin } from '@latchkey/shared/http';
import {
  foreignPageHeader,
  internalHeaderPrefix,
  internalSecretHeader,
  isDirectHeader,
  personHeaders,
} from '@latchkey/shared/internal';
import type { FastifyRequest } from 'fastify';

/** Headers between two hops only (RFC 9110 section 7.6.1), besides the headers that a Connection header names. */
const hopByHop = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];
/** Headers of a client that no service gets. Services trust the headers that are named here, so the gateway writes its own. */
const notToService = new Set([
  ...hopByHop,
  'host',
  'content-length',
  'expect',
  'forwarded',
  'via',
  'x-real-ip',
  'x-request-id',
  // A service believes the gateway which requests are traced. So a stranger's own trace must not reach it.
  'traceparent',
  'tracestate',
]);
/** Headers of a service that no client gets: the gateway sets its own. */
const notToClient = new Set([...hopByHop, 'x-request-id', 'date']);
/** The gateway's own entry in the `Via` header (RFC 9110 section 7.6.3). */
const thisHop = '1.1 latchkey';

/** The only route that checks which page a browser calls from, because it may act without a credential. */
export const setupPath = '/api/v1/setup';

/**
 * The headers of a forwarded request, as the flat list of names and values that undici takes.
 *
 * @param setupOriginOf reports the origin of a setup call. Left out for other routes
 */
export function requestHeaders(
  request: FastifyRequest,
  secret: string,
  setupOriginOf?: (request: IncomingMessage) => SetupOrigin,
): string[] {
  const { headers } = request.raw;
  const named = namedBy(headers.connection);
  const kept: string[] = [];
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || notToService.has(name) || named?.has(name)) continue;
    if (name.startsWith('x-') && (name.startsWith('x-forwarded-') || name.startsWith(internalHeaderPrefix)))
      continue;
    kept.push(name, typeof value === 'string' ? value : value.join(', '));
  }
  kept.push('via', headers.via ? `${headers.via}, ${thisHop}` : thisHop);
  kept.push('x-forwarded-for', request.clientIp, 'x-request-id', request.id, internalSecretHeader, secret);
  for (const [name, value] of Object.entries(personHeaders(request.person))) kept.push(name, value);
  // A service sees neither the client's connection nor its `Host`.
  const { isDirect = false, foreignPage = null } = setupOriginOf?.(request.raw) ?? {};
  if (isDirect) kept.push(isDirectHeader, '1');
  if (foreignPage !== null) kept.push(foreignPageHeader, foreignPage);
  return kept;
}

/**
 * The headers that the client gets: the gateway's own (CORS, request id), then the headers of the service.
 *
 * @param own the headers of the gateway; the others are added to it
 * @returns `own`, for `writeHead`
 */
export function responseHeaders(
  answered: IncomingHttpHeaders,
  own: Record<string, unknown>,
): Record<string, string | string[]> {
  const named = namedBy(answered.connection);
  const headers = own as Record<string, string | string[]>;
  for (const name in answered) {
    const value = answered[name];
    if (value === undefined || notToClient.has(name) || named?.has(name)) continue;
    if (name.startsWith('access-control-') || name.startsWith(internalHeaderPrefix)) continue;
    headers[name] = name === 'vary' && headers.vary ? `${headers.vary}, ${value}` : value;
  }
  return headers;
}

/** The headers that a Connection header names; null for its usual values, which name no other header. */
function namedBy(connection: string | undefined): Set<string> | null {
  if (!connection || connection === 'keep-alive' || connection === 'close') return null;
  return new Set(connection.split(',').map((name) => name.trim().toLowerCase()));
}
