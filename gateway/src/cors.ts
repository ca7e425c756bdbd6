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
 * What an answer tells a page of this origin, by the same rules as `addCors`: for answers that no hook of the plugin reaches, such as
 * the 400 of a path that cannot be decoded. Without these headers, a page sees a network failure instead of the reason.
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
 * Answers for the listed origins, and for no other. Without any there are no CORS headers at all.
 *
 * @param takesCookies whether `VIEWER_TOKEN_FROM` has `cookie`: then pages of listed origins may send them. Never with `*`,
 *   which stands for pages that nobody chose, and which browsers refuse together with cookies
 */
export async function addCors(app: App, origins: CorsOrigins, takesCookies: boolean): Promise<void> {
  if (origins.length === 0) return;
  const listed = new Set(origins === '*' ? [] : origins);
  await app.register(cors, {
    // A function and not the list: with a list, an origin that is not in it would still get some of the headers.
    origin: origins === '*' ? '*' : (origin, done) => done(null, origin !== undefined && listed.has(origin)),
    methods,
    allowedHeaders,
    exposedHeaders,
    credentials: takesCookies && origins !== '*',
    maxAge: maxAgeSeconds,
    hideOptionsRoute: true,
    // A plain OPTIONS is no preflight; it gets its 405 like any method that a path does not take.
    strictPreflight: false,
  });
}
