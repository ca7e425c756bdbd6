import { lookup } from 'node:dns/promises';
import { BlockList } from 'node:net';
import { type Place, playlistError } from '../hls/playlist-lines.ts';
import { showUrl } from '../show-url.ts';

export type Locator = ReturnType<typeof createLocator>;

/**
 * Media may be at other servers than playlists. But a server outside must not lead into a private network: what only this machine can reach would
 * be published.
 *
 * @param root URL of the first playlist
 */
export function createLocator(root: string) {
  const home = new URL(root);
  const known = new Map<string, Promise<boolean>>([[home.origin, Promise.resolve(false)]]);
  /** The URL of a reference in the playlist at `base`. @throws AppError `VALIDATION_FAILED` if it may not be read */
  return async (uri: string, base: string, place: Place): Promise<string> => {
    const url = URL.parse(uri, base);
    if (!url || !/^https?:$/.test(url.protocol))
      throw playlistError(place, `"${showUrl(uri)}" cannot be downloaded; accepted: http and https URLs`);
    url.hash = '';
    const isInside = known.get(url.origin) ?? leadsInside(home, url);
    known.set(url.origin, isInside);
    const reason = await isInside.then(
      (is) => (is ? `is in a private network, into which ${home.origin} may not lead` : undefined),
      () => 'is at a server whose address is not known',
    );
    if (reason !== undefined) throw playlistError(place, `"${showUrl(uri)}" ${reason}`);
    return url.href;
  };
}

/** Addresses of this machine and of its network: RFC 1122, 1918, 3927, 6598, 4291 and 4193. */
const privateRanges: readonly (readonly [address: string, bits: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['::', 127],
  ['fc00::', 7],
  ['fe80::', 10],
];
const privateAddresses = new BlockList();
for (const [address, bits] of privateRanges)
  privateAddresses.addSubnet(address, bits, address.includes(':') ? 'ipv6' : 'ipv4');

/**
 * Whether a URL leads from a server outside to what only this machine or its network can reach. A stranger's server could otherwise publish
 * that.
 *
 * @throws an error of the system if the name of a host is not known
 */
export async function leadsInside(from: URL, to: URL): Promise<boolean> {
  return (await isPrivateHost(to)) && !(await isPrivateHost(from));
}

async function isPrivateHost({ hostname }: URL): Promise<boolean> {
  const addresses = await lookup(hostname.replace(/^\[|\]$/g, ''), { all: true });
  return addresses.some(({ address, family }) =>
    privateAddresses.check(address, family === 6 ? 'ipv6' : 'ipv4'),
  );
}
