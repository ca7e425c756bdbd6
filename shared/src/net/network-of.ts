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
