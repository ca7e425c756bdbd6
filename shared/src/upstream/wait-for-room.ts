import type { Address } from './address.ts';
import type { Tries } from './tries.ts';
import type { Upstream } from './upstream.ts';

/** For a call of one service by another: a batch of keys, its headers and Node's objects. */
const bytesOfCall = 16 * 1024;

/**
 * Waits until an address has room for the request, and occupies it. The caller releases it.
 *
 * @param limitMs of the wait. The request itself needs the rest of the caller's time; otherwise the answer comes too late
 *   and the other service has worked without use. Under overload it would do nothing else
 * @throws Error if every address is lost, too many wait already, or none has room in time
 */
export async function waitForRoom(upstream: Upstream, tries: Tries, limitMs: number): Promise<Address> {
  const { address } = tries;
  if (!address) throw upstream.whyLost();
  if (address.hasRoom()) {
    address.occupy();
    return address;
  }
  const { promise, resolve, reject } = Promise.withResolvers<Address>();
  const waiter = {
    bytes: () => bytesOfCall,
    admit(admitted: Address) {
      tries.address = admitted;
      admitted.occupy();
      resolve(admitted);
    },
    refuse: () => reject(upstream.whyLost()),
  };
  if (!upstream.line.add(waiter)) throw new Error('too many requests wait for an address');
  const timer = setTimeout(() => {
    upstream.line.remove(waiter);
    reject(new Error('no address had room in time'));
  }, limitMs);
  return promise.finally(() => clearTimeout(timer));
}
