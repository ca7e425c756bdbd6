import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';

/** Why a browser's request counts as one that a page of another origin makes. */
export const foreignPageReasons = {
  site: 'Sec-Fetch-Site says that a page of another origin makes this call.',
  origin:
    'Origin is not the origin of this server. Behind a proxy, set PUBLIC_URL or let the proxy keep Host.',
  name: 'The page came over plain HTTP from a name that anyone could let lead here. Set PUBLIC_URL to that origin, or call from an IP address or localhost.',
  clear:
    'The page came over TLS, and nothing shows that this call did. Set PUBLIC_URL to its origin, or let the proxy send X-Forwarded-Proto.',
} as const;

export type ForeignPageReason = keyof typeof foreignPageReasons;

/** Fetch Metadata (W3C, section 2.3): `none` is the user's own doing, such as an address typed in. */
const ownSites = new Set(['same-origin', 'none']);

/**
 * Whether a page of another origin makes this request. What no browser sends has neither header, and passes.
 *
 * A page may be loaded from a name that its owner then lets lead to this machine (DNS rebinding). Browser and server then
 * agree on the origin, so a name in `Host` proves nothing over plain HTTP. A call over TLS does: the browser has seen a certificate
 * for that name. A page over TLS alone does not, because Firefox lets a form of such a page be redirected to plain HTTP.
 * `X-Forwarded-Host` is never read, because anyone can send it.
 *
 * @param publicUrl `PUBLIC_URL`, null where it is not set
 * @returns null for the server's own page and for everything that is no browser
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
 * Whether a browser's call came over TLS up to the proxy in front. Browsers send Sec-Fetch-Site to no name over plain HTTP (W3C Fetch
 * Metadata, section 2), and no page can send it itself. Safari before 16.4 never sends it, but what the proxy says of the scheme
 * does for it too: the form of another page has no headers of its own.
 */
function isOverTls({ 'sec-fetch-site': site, 'x-forwarded-proto': scheme }: IncomingHttpHeaders): boolean {
  return site !== undefined || /^https(?: *,|$)/i.test(String(scheme));
}

/**
 * Whether `Host` is a name that nobody else can let lead here: an IP address, `localhost`, or that of `PUBLIC_URL`.
 *
 * @param publicUrl `PUBLIC_URL`, null where it is not set
 */
export function isOwnName(host: string | undefined, publicUrl: string | null): boolean {
  const name = readHost(host)?.name;
  if (name === undefined) return false;
  if (name === 'localhost' || isIP(name.replace(/^\[|\]$/g, '')) !== 0) return true;
  return publicUrl !== null && name === new URL(publicUrl).hostname;
}

interface Served {
  name: string;
  origin: string;
  secureOrigin: string;
}

/** `Host` as the origins that it stands for; undefined for what is not a host with perhaps a port. */
function readHost(host: string | undefined): Served | undefined {
  if (host === undefined || !/^[\w.:[\]-]+$/.test(host)) return undefined;
  const plain = `http://${host}`;
  const secure = `https://${host}`;
  if (!URL.canParse(plain) || !URL.canParse(secure)) return undefined;
  const { hostname, origin } = new URL(plain);
  return { name: hostname, origin, secureOrigin: new URL(secure).origin };
}
