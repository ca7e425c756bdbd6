import { lookup } from 'node:dns/promises';

/** Every address that the system knows for a host name, from `/etc/hosts` and from DNS. */
export async function systemLookup(hostname: string): Promise<string[]> {
  return (await lookup(hostname, { all: true })).map(({ address }) => address);
}
