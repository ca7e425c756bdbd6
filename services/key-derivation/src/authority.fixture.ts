import { createAuthority } from '@latchkey/shared/authority';
import type { ApiKeyState, ContentState, LeaseState, MarkState } from '@latchkey/shared/contracts';
import { createFeedFollower, createInProcessBus } from '@latchkey/shared/events';
import type { planCaches } from '@latchkey/shared/memory';
import type { ManualClock } from '@latchkey/shared/testing';

/** The answers of the services that own the states. Without an answer, there is no such state. */
interface Owners {
  findApiKey?: () => Promise<ApiKeyState | null>;
  findContent?: (contentId: string) => Promise<ContentState | null>;
  findLease?: () => Promise<LeaseState | null>;
  findMark?: (viewerId: string) => Promise<MarkState | null>;
}

/** The cached states of a replica that follows an empty change feed. @param cacheBytes limits of its caches; default: the usual ones */
export function openAuthority(
  clock: ManualClock,
  owners: Owners,
  cacheBytes?: ReturnType<typeof planCaches>,
) {
  const none = async () => null;
  const { findApiKey = none, findContent = none, findLease = none, findMark = none } = owners;
  const bus = createInProcessBus(() => {});
  const feed = { head: async () => 0, since: async () => ({ head: 0, history: '', changes: [] }) };
  const follower = createFeedFollower({ feed, bus, clock });
  // Until it has read the feed once, no state is used.
  void follower.pull();
  const authority = createAuthority({
    apiKeys: { findApiKey, noteUse: () => {} },
    contents: { findContent },
    leases: { findLease, findMark },
    follower,
    bus,
    clock,
    ...(cacheBytes ? { cacheBytes } : {}),
  });
  return { authority, bus, follower };
}
