import type { KeyPace, PacedKey } from './key-pace.ts';
import type { LocalPace } from './local-pace.ts';

/**
 * The pace that another process keeps for several. A key that this process gave lately costs nothing, so the other is not asked.
 * Where it does not answer, this process decides by its own bucket, which follows what was given here: a looser bound, and no outage.
 *
 * @param ask as `KeyPace.take`; rejects where there is no answer
 */
export function createRemotePace(ask: (key: PacedKey) => Promise<number>, local: LocalPace): KeyPace {
  async function takeRemote(key: PacedKey): Promise<number> {
    let waitMs: number;
    try {
      waitMs = await ask(key);
    } catch {
      return local.take(key);
    }
    // Its own bucket may hold less than the other, which knows better. It only follows.
    if (waitMs === 0 && local.take(key) > 0) local.remember(key);
    return waitMs;
  }
  return { take: (key) => (local.wasGiven(key) ? 0 : takeRemote(key)) };
}
