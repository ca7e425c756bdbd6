import type { Member } from './member.ts';
import type { Tries } from './tries.ts';
import type { Upstream } from './upstream.ts';

/**
 * Waits until an address has room for the request, and occupies it. The caller releases it.
 *
 * @param limitMs of the wait. The request itself needs the rest of the caller's time; otherwise the answer comes too late
 *   and the other service has worked without use. Under overload it would do nothing else
 * @throws Error where no address is alive, too many wait already, or none has room in time
 */
export function waitForRoom(upstream: Upstream, tries: Tries, limitMs: number): Promise<Member> {
  const { member } = tries;
  if (!member) return Promise.reject(new Error('no address is alive'));
  if (member.hasRoom()) {
    member.occupy();
    return Promise.resolve(member);
  }
  return new Promise((resolve, reject) => {
    const waiter = {
      weight: 1,
      admit(admitted: Member) {
        clearTimeout(timer);
        tries.member = admitted;
        admitted.occupy();
        resolve(admitted);
      },
      refuse() {
        clearTimeout(timer);
        reject(new Error('no address is alive'));
      },
    };
    const timer = setTimeout(() => {
      upstream.line.remove(waiter);
      reject(new Error('no address had room in time'));
    }, limitMs);
    if (upstream.line.add(waiter)) return;
    clearTimeout(timer);
    reject(new Error('too many requests wait for an address'));
  });
}
