import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';

/** Why a browser's request counts as coming from a page of another origin. */
export const foreignPageReasons = {
  site: 'Sec-Fetch-Site shows that a page of another origin makes this call.',
  origin:
    'Origin is not the origin of this server. Behind a proxy, set PUBLIC_URL or let the proxy keep Host.',
  name: 'The page came over plain HTTP from a name that anyone could let lead here. Set PUBLIC_URL to that origin, or call from an IP address or localhost.',
  clear:
    'The page came over TLS, and nothing shows that this call did. Set PUBLIC_URL to its origin, or let the proxy send X-Forwarded-Proto.',
} as const;

export type ForeignPageReason = keyof typeof foreignPageReasons;

/** Whether a browser reports that a page of another site makes this request, or that a link there led to it (W3C Fetch Metadata, section 2.3). */
export function isOfAnotherSite({ 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
  // Node joins the values of a header that came twice.
  return site !== undefined && String(site).toLowerCase().includes('cross-site');
}

/** Fetch Metadata (W3C, section 2.3): `none` is the user's own action, such as a typed address. */
const ownSites = new Set(['same-origin', 'none']);

/**
 * Whether a page of another origin makes this request. A client other than a browser sends neither header, and passes.
 *
 * An attacker can load a page from a name and then let that name lead to this machine (DNS rebinding). Browser and server
 * then agree on the origin, so a name in `Host` proves nothing over plain HTTP. A call over TLS does: the browser has
 * seen a certificate for that name. A page over TLS is not enough, because Firefox lets a form of such a page be
 * redirected to plain HTTP. `X-Forwarded-Host` is never read, because any client can send it.
 *
 * @param publicUrl `PUBLIC_URL`, null if it is not set
 * @returns null for the server's own page and for every client that is not a browser
 */
export function foreignPageReason(
  headers: IncomingHttpHeaders,
  publicUrl: string | null,
): ForeignPageReason | null {
  const { origin, host } = headers;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && !ownSites.has(String(site).toLowerCase())) return 'site';
  if (origin === undefined) return null;
  const page = origin.toLowerCase();
  if (publicUrl !== null && page === new URL(publicUrl).origin) return null;
  const served = readHost(host);
  if (!served) return 'origin';
  if (page === served.secureOrigin) return isOverTls(headers) ? null : 'clear';
  if (page !== served.origin) return 'origin';
  return isOwnName(host, publicUrl) ? null : 'name';
}

/**
 * Whether a browser's call came over TLS up to the proxy in front. Browsers send Sec-Fetch-Site to no name over plain
 * HTTP (W3C Fetch Metadata, section 2), and a page cannot set it. Safari before 16.4 never sends it; there the proxy's
 * statement of the scheme is enough, because the form of another page has no headers of its own.
 */
function isOverTls({ 'sec-fetch-site': site, 'x-forwarded-proto': scheme }: IncomingHttpHeaders): boolean {
  return site !== undefined || /^https(?: *,|$)/i.test(String(scheme));
}

/**
 * Whether `Host` is a name that an attacker cannot point at this machine: an IP address, `localhost`, or the name
 * in `PUBLIC_URL`.
 *
 * @param publicUrl `PUBLIC_URL`, null if it is not set
 */
export function isOwnName(host: string | undefined, publicUrl: string | null): boolean {
  const name = readHost(host)?.name;
  if (name === undefined) return false;
  if (name === 'localhost' || isIP(name.replace(/^\[|\]$/g, '')) !== 0) return true;
  return publicUrl !== null && name === new URL(publicUrl).hostname;
}

/** The name, the port and the origins that `Host` can mean; undefined if it is not a host with an optional port. */
export function readHost(host: string | undefined) {
  if (host === undefined || !/^[\w.:[\]-]+$/.test(host)) return undefined;
  const plain = `http://${host}`;
  const secure = `https://${host}`;
  if (!URL.canParse(plain) || !URL.canParse(secure)) return undefined;
  const { hostname, origin, port } = new URL(plain);
  return { name: hostname, port, origin, secureOrigin: new URL(secure).origin };
}
