import { isIP, isIPv4, isIPv6, SocketAddress } from 'node:net';

/** IPv4 inside IPv6 (RFC 4291 section 2.5.5.2), as the canonical form writes it. */
const mappedPrefix = '::ffff:';

/**
 * Converts an address from `X-Forwarded-For` or a socket to one canonical form: without brackets, port or zone.
 * IPv4 mapped into IPv6 becomes IPv4. IPv6 is in lower case, as RFC 5952 writes it.
 *
 * @returns undefined for a text that is not an IP address
 */
export function normalizeIp(text: string): string | undefined {
  // The most common cases: an IPv4 peer, as a socket for IPv4 or a socket for both reports it.
  if (isIPv4(text)) return text;
  const tail = text.startsWith(mappedPrefix) ? text.slice(mappedPrefix.length) : '';
  if (isIPv4(tail)) return tail;
  const address = withoutPort(text);
  const family = isIP(address);
  if (family === 0) return undefined;
  return family === 4 ? address : canonical(address);
}

/** `1.2.3.4:80`, `[::1]`, `[::1]:443`: the part that is the address. */
function withoutPort(text: string): string {
  const bracketed = /^\[([^\]]*)\](?::[0-9]{1,5})?$/.exec(text)?.[1];
  // Only IPv6 is bracketed (RFC 3986 section 3.2.2).
  if (bracketed !== undefined) return isIPv6(bracketed) ? bracketed : '';
  return /^([0-9.]+):[0-9]{1,5}$/.exec(text)?.[1] ?? text;
}

function canonical(ipv6: string): string {
  const zone = ipv6.indexOf('%');
  const address = zone === -1 ? ipv6 : ipv6.slice(0, zone);
  const written = new SocketAddress({ address, family: 'ipv6' }).address;
  if (!written.startsWith(mappedPrefix)) return written;
  const tail = written.slice(mappedPrefix.length);
  return isIPv4(tail) ? tail : written;
}

/** A host as a URL has it: an IPv6 address is in brackets (RFC 3986 section 3.2.2). */
export const toUrlHost = (host: string): string => (isIPv6(host) ? `[${host}]` : host);

/** One subscriber has at least a /64 (RFC 6177), and so 2^64 addresses. */
const hextetsOfNetwork = 4;
const hextetsOfAddress = 8;

/**
 * The unit that counts as one sender: an IPv4 address, or the /64 of an IPv6 address.
 *
 * @param address a valid IP address in canonical form, as `clientIp` is
 * @returns the address itself, or a network such as `2001:db8:0:1::/64`
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail ? tail.split(':') : [];
  const missing = tail === undefined ? 0 : hextetsOfAddress - before.length - after.length;
  const all = [...before, ...Array<string>(Math.max(0, missing)).fill('0'), ...after];
  return `${all.slice(0, hextetsOfNetwork).join(':')}::/64`;
}
