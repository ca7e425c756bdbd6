import { BlockList, isIP } from 'node:net';
import { normalizeIp } from './ip-address.ts';

/** Whose `X-Forwarded-For` is trusted. */
export type TrustProxy =
  | { readonly kind: 'none' }
  | { readonly kind: 'all' }
  /** Exactly this many proxies are in front. */
  | { readonly kind: 'hops'; readonly hops: number }
  /** The proxies have these addresses. */
  | { readonly kind: 'list'; readonly trusted: BlockList };

export const trustProxyForms =
  '`true`, `false`, a number of hops from `1` to `10`, or a comma-separated list of IP addresses, CIDR ranges ' +
  '(not /0) and the names `loopback`, `linklocal`, `uniquelocal`';

/** Ranges by the names that proxies' configurations use (RFC 1122, 3927, 4291, 1918, 4193). */
const namedRanges: ReadonlyMap<string, readonly string[]> = new Map([
  ['loopback', ['127.0.0.0/8', '::1/128']],
  ['linklocal', ['169.254.0.0/16', 'fe80::/10']],
  ['uniquelocal', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7']],
]);

/** The prefix of `::ffff:0:0/96`, under which IPv6 writes IPv4 addresses (RFC 4291 section 2.5.5.2). */
const mappedPrefixBits = 96;

/**
 * Reads `TRUST_PROXY`. `0`, `01`, `1.5`, `-1`, `yes`, `0.0.0.0/0` and every other text outside `trustProxyForms` is
 * wrong: the code does not guess whom to trust.
 *
 * @returns null for a wrong text
 */
export function parseTrustProxy(text: string): TrustProxy | null {
  if (text === 'false') return { kind: 'none' };
  if (text === 'true') return { kind: 'all' };
  if (/^([1-9]|10)$/.test(text)) return { kind: 'hops', hops: Number(text) };
  const trusted = new BlockList();
  for (const item of text.split(',').map((part) => part.trim())) {
    for (const range of namedRanges.get(item) ?? [item]) {
      if (!addRange(trusted, range)) return null;
    }
  }
  return { kind: 'list', trusted };
}

/** Adds an address or a CIDR range; false where the text is neither. Host bits in a range are ignored. */
function addRange(list: BlockList, text: string): boolean {
  const match = /^([0-9a-fA-F.:]+)(?:\/([1-9][0-9]{0,2}))?$/.exec(text);
  const written = match?.[1];
  if (!written || isIP(written) === 0) return false;
  const address = normalizeIp(written) ?? written;
  const mapped = isIP(written) === 6 && isIP(address) === 4;
  const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
  const fullBits = family === 'ipv4' ? 32 : 128;
  const bits = match[2] === undefined ? fullBits : Number(match[2]) - (mapped ? mappedPrefixBits : 0);
  // A mapped range of /96 or wider contains all of IPv4.
  if (bits < 1 || bits > fullBits) return false;
  // So does an IPv6 range around the prefix of the mapped addresses, such as ::/1: the list would match them.
  if (family === 'ipv6' && bits < mappedPrefixBits && isAllOfIpv4(address, bits)) return false;
  list.addSubnet(address, bits, family);
  return true;
}

function isAllOfIpv4(address: string, bits: number): boolean {
  const range = new BlockList();
  range.addSubnet(address, bits, 'ipv6');
  return range.check('::ffff:0.0.0.0', 'ipv6');
}
