import type { KeyPace, PacedKey, PaceState } from './key-pace.ts';
import type { LocalPace } from './local-pace.ts';

/**
 * The pace that another process keeps for several. A key that this process gave lately costs nothing, so the other is not asked.
 * Where it does not answer, this process decides by its own bucket, which follows what was given here: a looser bound, and no outage.
 *
 * @param other rejects where there is no answer
 */
export function createRemotePace(other: RemotePace, local: LocalPace): KeyPace {
  async function takeRemote(key: PacedKey): Promise<number> {
    let waitMs: number;
    try {
      waitMs = await other.take(key);
    } catch {
      return local.take(key);
    }
    // Its own bucket may hold less than the other, which knows better. It only follows.
    if (waitMs === 0 && local.take(key) > 0) local.remember(key);
    return waitMs;
  }
  return {
    take: (key) => (local.wasGiven(key) ? 0 : takeRemote(key)),
    async look(key) {
      const state = await other.look(key).catch(() => local.look(key));
      return { ...state, wasGiven: state.wasGiven || local.wasGiven(key) };
    },
  };
}

interface RemotePace {
  take(key: PacedKey): Promise<number>;
  look(key: PacedKey): Promise<PaceState>;
}
