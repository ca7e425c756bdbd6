import type { CorsOrigins } from '@latchkey/shared/config';
import { type App, foreignPageReason } from '@latchkey/shared/http';

/** They change nothing (RFC 9110 section 9.2.1), and no page of another origin can read what they answer. */
const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Drops the cookies of a request that changes something and that a page of another origin makes, unless `CORS_ORIGINS` lists
 * the origin. A browser sends a viewer's cookie (`VIEWER_TOKEN_FROM`) with whatever any page asks of this server, so a cookie
 * alone does not say that the viewer wants the change. Without it the request has no credential: 401.
 *
 * Players that read keys by cookie alone (native HLS) send GET without an origin, which stays as it was.
 *
 * @param publicUrl `PUBLIC_URL`, null where it is not set
 */
export function ignoreForeignCookies(app: App, origins: CorsOrigins, publicUrl: string | null): void {
  // `*` stands for pages that nobody chose, and browsers send them no cookies either.
  const listed = new Set<string>(origins === '*' ? [] : origins);
  app.addHook('onRequest', ({ method, headers }, _reply, done) => {
    if (headers.cookie === undefined || safeMethods.has(method)) return done();
    if (headers.origin !== undefined && listed.has(headers.origin)) return done();
    if (foreignPageReason(headers, publicUrl) !== null) delete headers.cookie;
    done();
  });
}
