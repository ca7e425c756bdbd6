import { setTimeout as sleep } from 'node:timers/promises';
import type { Channel } from './channel.ts';
import type { PagePlayer } from './player.ts';

export interface Kills {
  count: number;
  /** The longest time from a kill until the player showed a picture that the packager made after it: media that it held does not count. */
  slowestRecoverySeconds: number;
  wrong: string[];
}

/** After each second kill, another one hits the process that is starting, which takes about this long. */
const startMs = 700;
/** Less than a round has, so that the player, some 8 s behind the packager, recovers before the next kill. */
const latestKillMs = 6_000;
const recoveryLimitMs = 30_000;

/** Kills `latchkey encrypt --live` at random moments of these milliseconds, and starts it again at once. */
export async function killEncryption(
  channel: Channel,
  player: PagePlayer,
  { rounds, ms, random }: { rounds: number; ms: number; random: (below: number) => number },
): Promise<Kills> {
  const kills: Kills = { count: 0, slowestRecoverySeconds: 0, wrong: [] };
  const kill = async () => {
    await channel.programs[1]?.end('SIGKILL');
    channel.startEncrypting();
    kills.count++;
  };
  const firstMs = performance.now();
  for (let round = 0; round < rounds; round++) {
    await sleep(Math.max(0, firstMs + (round * ms) / rounds - performance.now()));
    await sleep(random(latestKillMs));
    const killedMs = Date.now();
    await kill();
    if (round % 2 === 1) {
      await sleep(random(startMs));
      await kill();
    }
    for (;;) {
      await sleep(100);
      const { dateMs = 0, errors } = await player.read();
      const waitedMs = Date.now() - killedMs;
      if (dateMs > killedMs) {
        kills.slowestRecoverySeconds = Math.max(kills.slowestRecoverySeconds, waitedMs / 1_000);
        break;
      }
      if (waitedMs < recoveryLimitMs) continue;
      kills.wrong.push(`the player did not go on after kill ${round + 1}: ${errors.join(', ')}`);
      return kills;
    }
  }
  return kills;
}
