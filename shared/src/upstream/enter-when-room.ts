import type { Member } from './member.ts';
import type { Tries } from './tries.ts';
import type { Upstream } from './upstream.ts';

/**
 * Waits until an address has room for the request, and occupies it. The caller releases it.
 *
 * @throws Error where no address is alive, too many wait already, or the signal ends the wait
 */
export function enterWhenRoom(upstream: Upstream, tries: Tries, signal: AbortSignal): Promise<Member> {
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
        signal.removeEventListener('abort', giveUp);
        tries.member = admitted;
        admitted.occupy();
        resolve(admitted);
      },
      refuse() {
        signal.removeEventListener('abort', giveUp);
        reject(new Error('no address is alive'));
      },
    };
    function giveUp() {
      upstream.line.remove(waiter);
      reject(new Error('no address had room in time'));
    }
    if (!upstream.line.add(waiter)) reject(new Error('too many requests wait for an address'));
    else signal.addEventListener('abort', giveUp, { once: true });
  });
}
