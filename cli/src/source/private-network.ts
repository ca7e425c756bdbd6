import { lookup } from 'node:dns/promises';
import { BlockList } from 'node:net';

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
