import type { IncomingMessage } from 'node:http';
import cors from '@fastify/cors';
import type { CorsOrigins, ViewerTokenPlace } from '@latchkey/shared/config';
import type { App } from '@latchkey/shared/http';

/** All methods that any route takes. */
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** A field name (RFC 9110, section 5.1). */
const headerName = /^[\w!#$%&'*+.^`|~-]+$/;
/** Room for 50 names of 40 characters. A player with CMCD and two monitoring tools asks for some fifteen. */
const requestedHeadersLength = 2_048;
const exposedHeaders = [
  'X-Request-Id',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'Idempotent-Replayed',
];
/** Two hours: as long as Chrome keeps a preflight. */
const maxAgeSeconds = 7_200;

/** The parts of a request that decide its CORS headers. */
type CrossOriginRequest = Pick<IncomingMessage, 'headers' | 'url'>;

const playlists = '/play/';
/** Below them a URL may have the id of a session. */
const keyPaths = ['/keys/', '/licenses/'];
const sessionQuery = /[?&]s=/;
const tokenQuery = /[?&]access_token=/;
const tokenCookie = /(?:^|;)\s*latchkey_token=/;

/**
 * Whether the only credential of a request is the id of a session in its URL (`docs/reference/contract.md#cors`). A Cast receiver plays such a URL
 * from an origin that no operator knows. A holder of the URL can fetch it without a browser too, so any page may read the answer.
 */
function isOpenToAllPages(
  { url = '', headers }: CrossOriginRequest,
  viewerTokenFrom: readonly ViewerTokenPlace[],
): boolean {
  if (url.startsWith(playlists)) return true;
  if (!keyPaths.some((path) => url.startsWith(path))) return false;
  if (!sessionQuery.test(url) || headers.authorization !== undefined) return false;
  if (headers['access-control-request-headers']?.toLowerCase().includes('authorization')) return false;
  if (viewerTokenFrom.includes('query') && tokenQuery.test(url)) return false;
  return !(viewerTokenFrom.includes('cookie') && tokenCookie.test(headers.cookie ?? ''));
}

const openHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': exposedHeaders.join(', '),
};
/** `*` means every header but `Authorization` (Fetch standard, 3.3.2). */
const openPreflightHeaders = {
  ...openHeaders,
  'access-control-allow-methods': 'GET, HEAD, POST',
  'access-control-allow-headers': '*',
  'access-control-max-age': String(maxAgeSeconds),
  'content-length': '0',
};

function answerOpenPreflights(app: App, viewerTokenFrom: readonly ViewerTokenPlace[]): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { raw } = request;
    const isPreflight =
      raw.method === 'OPTIONS' && raw.headers['access-control-request-method'] !== undefined;
    if (!isPreflight || !isOpenToAllPages(raw, viewerTokenFrom)) return done();
    reply.code(204).headers(openPreflightHeaders).send();
  });
}

/**
 * The CORS headers of an answer that no hook of the plugin reaches, such as the 400 of a path that cannot be decoded. It follows
 * the rules of `addCors`. Without these headers, a page sees a network failure instead of the reason.
 */
export function createCorsHeaders(
  origins: CorsOrigins,
  viewerTokenFrom: readonly ViewerTokenPlace[],
): (request: CrossOriginRequest) => Readonly<Record<string, string>> {
  const listed = new Set(origins === '*' ? [] : origins);
  const credentials = viewerTokenFrom.includes('cookie')
    ? { 'access-control-allow-credentials': 'true' }
    : {};
  return (request) => {
    if (origins === '*' || isOpenToAllPages(request, viewerTokenFrom)) return openHeaders;
    if (listed.size === 0) return {};
    const { origin } = request.headers;
    return origin !== undefined && listed.has(origin)
      ? { vary: 'Origin', ...openHeaders, 'access-control-allow-origin': origin, ...credentials }
      : { vary: 'Origin' };
  };
}

/**
 * Adds CORS headers for the listed origins, and for all pages where the URL itself is the credential. No other answer has CORS headers.
 *
 * @param viewerTokenFrom with `cookie`, pages of listed origins may send cookies. Never with `*`: the operator did not choose those
 *   pages, and browsers refuse it together with cookies
 */
export async function addCors(
  app: App,
  origins: CorsOrigins,
  viewerTokenFrom: readonly ViewerTokenPlace[],
): Promise<void> {
  answerOpenPreflights(app, viewerTokenFrom);
  if (origins.length === 0) return;
  const listed = new Set(origins === '*' ? [] : origins);
  dropMalformedRequestHeaders(app);
  await app.register(cors, {
    // A function instead of the list: with a list, an unlisted origin would still get some of the headers.
    origin: origins === '*' ? '*' : (origin, done) => done(null, origin !== undefined && listed.has(origin)),
    methods,
    // Without `allowedHeaders`, all that a preflight asks for: monitoring tools add headers to the requests of a page (`traceparent`, `baggage`).
    exposedHeaders,
    credentials: viewerTokenFrom.includes('cookie') && origins !== '*',
    maxAge: maxAgeSeconds,
    hideOptionsRoute: true,
    // A plain OPTIONS is not a preflight. It gets 405, like any method that a path does not take.
    strictPreflight: false,
  });
  // The plugin knows only the origin of a request, so it has answered for it as for any other.
  app.addHook('onRequest', (request, reply, done) => {
    if (isOpenToAllPages(request.raw, viewerTokenFrom)) {
      reply.removeHeader('access-control-allow-credentials');
      reply.removeHeader('vary');
      reply.headers(openHeaders);
    }
    done();
  });
}

/**
 * Forgets the requested headers of a preflight that are not a list of names, so that the answer allows no header. The plugin would echo
 * any text.
 */
function dropMalformedRequestHeaders(app: App): void {
  app.addHook('onRequest', ({ headers }, _reply, done) => {
    const requested = headers['access-control-request-headers'];
    if (requested !== undefined && !areHeaderNames(requested))
      delete headers['access-control-request-headers'];
    done();
  });
}

function areHeaderNames(list: string): boolean {
  return (
    list.length <= requestedHeadersLength && list.split(',').every((name) => headerName.test(name.trim()))
  );
}
