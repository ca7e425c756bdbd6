import type { LookupAddress, LookupAllOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';

/** `lookup` of `node:dns/promises`. */
export type FindAddresses = (hostname: string, options: LookupAllOptions) => Promise<LookupAddress[]>;

/**
 * A `lookup` for the sockets of one agent that has one question about a name under way at a time. Each holds one of Node's four threads until
 * the name server answers or the system gives up. Files and other connections need these threads too, and the tries of one webhook would
 * hold them all while its name server is silent.
 */
export function shareLookups(find: FindAddresses): LookupFunction {
  const underWay = new Map<string, Promise<LookupAddress[]>>();

  function ask(hostname: string, options: LookupAllOptions): Promise<LookupAddress[]> {
    const earlier = underWay.get(hostname);
    if (earlier) return earlier;
    const asked = find(hostname, options).finally(() => underWay.delete(hostname));
    underWay.set(hostname, asked);
    return asked;
  }

  return (hostname, options, callback) => {
    ask(hostname, { ...options, all: true }).then(
      (found) => {
        // One address is asked for where Node does not choose between IPv4 and IPv6 by itself.
        if (options.all) callback(null, found);
        else callback(null, found[0]?.address ?? '', found[0]?.family);
      },
      (error) => callback(error, ''),
    );
  };
}
