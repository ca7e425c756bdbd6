import type { FeedFollower } from '../events/index.ts';
import type { Dependency } from '../lifecycle/index.ts';

/**
 * Whether this process receives changes. Without them no state is known and no key is served, however healthy the process
 * is.
 */
export function feedDependency(follower: FeedFollower): Dependency {
  return {
    name: 'feed',
    // A service that no longer receives them still serves requests without cached states, and is retried by itself.
    optional: true,
    check: async () => {
      const ageMs = follower.ageMs();
      if (ageMs === null || ageMs > follower.limitMs)
        throw new Error(ageMs === null ? 'not read yet' : 'not read within the limit');
      return undefined;
    },
  };
}
