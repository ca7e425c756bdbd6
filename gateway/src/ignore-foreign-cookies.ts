import type { CorsOrigins } from '@latchkey/shared/config';
import { type App, foreignPageReason } from '@latchkey/shared/http';

/** Methods that change nothing (RFC 9110 section 9.2.1). A page of another origin cannot read their answers. */
const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Drops the cookies of a request that changes something, if a page of another origin makes it and `CORS_ORIGINS` does not list
 * that origin. A browser sends a viewer's cookie (`VIEWER_TOKEN_FROM`) with the requests of any page, so a cookie alone does not
 * prove that the viewer wants the change. Without the cookie the request has no credential: 401.
 *
 * Players that send only a cookie (native HLS) use GET without an origin. Their cookies are kept.
 *
 * @param publicUrl `PUBLIC_URL`, null if it is not set
 */
export function ignoreForeignCookies(app: App, origins: CorsOrigins, publicUrl: string | null): void {
  // With `*` the operator did not choose the pages, and browsers send no cookies for them.
  const listed = new Set<string>(origins === '*' ? [] : origins);
  app.addHook('onRequest', ({ method, headers }, _reply, done) => {
    if (headers.cookie === undefined || safeMethods.has(method)) return done();
    if (headers.origin !== undefined && listed.has(headers.origin)) return done();
    if (foreignPageReason(headers, publicUrl) !== null) delete headers.cookie;
    done();
  });
}
