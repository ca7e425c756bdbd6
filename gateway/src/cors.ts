import cors from '@fastify/cors';
import type { CorsOrigins } from '@latchkey/shared/config';
import type { App } from '@latchkey/shared/http';

/** All methods that any route takes. */
const methods = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'];
/** CMCD's four headers are those of CTA-5004, section 2. */
const allowedHeaders = [
  'Authorization',
  'Content-Type',
  'X-Lease-Id',
  'X-Request-Id',
  'CMCD-Object',
  'CMCD-Request',
  'CMCD-Session',
  'CMCD-Status',
];
const exposedHeaders = ['X-Request-Id', 'Retry-After', 'RateLimit', 'RateLimit-Policy'];
/** Two hours: as long as Chrome keeps a preflight. */
const maxAgeSeconds = 7_200;

/**
 * The CORS headers of an answer that no hook of the plugin reaches, such as the 400 of a path that cannot be decoded. The rules are
 * those of `addCors`. Without these headers, a page sees a network failure instead of the reason.
 */
export function createCorsHeaders(
  origins: CorsOrigins,
  takesCookies: boolean,
): (origin: string | undefined) => Readonly<Record<string, string>> {
  if (origins.length === 0) return () => ({});
  const exposed = { 'access-control-expose-headers': exposedHeaders.join(', ') };
  if (origins === '*') return () => ({ 'access-control-allow-origin': '*', ...exposed });
  const listed = new Set(origins);
  const vary = { vary: 'Origin' };
  const credentials = takesCookies ? { 'access-control-allow-credentials': 'true' } : {};
  return (origin) =>
    origin !== undefined && listed.has(origin)
      ? { ...vary, 'access-control-allow-origin': origin, ...exposed, ...credentials }
      : vary;
}

/**
 * Adds CORS headers for the listed origins only. Without a list, no answer has CORS headers.
 *
 * @param takesCookies whether `VIEWER_TOKEN_FROM` has `cookie`: then pages of listed origins may send them. Never with `*`:
 *   the operator did not choose those pages, and browsers refuse it together with cookies
 */
export async function addCors(app: App, origins: CorsOrigins, takesCookies: boolean): Promise<void> {
  if (origins.length === 0) return;
  const listed = new Set(origins === '*' ? [] : origins);
  await app.register(cors, {
    // A function instead of the list: with a list, an unlisted origin would still get some of the headers.
    origin: origins === '*' ? '*' : (origin, done) => done(null, origin !== undefined && listed.has(origin)),
    methods,
    allowedHeaders,
    exposedHeaders,
    credentials: takesCookies && origins !== '*',
    maxAge: maxAgeSeconds,
    hideOptionsRoute: true,
    // A plain OPTIONS is not a preflight. It gets 405, like any method that a path does not take.
    strictPreflight: false,
  });
}
