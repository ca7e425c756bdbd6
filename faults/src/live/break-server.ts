import { setTimeout as sleep } from 'node:timers/promises';
import type { Checks } from '../checks.ts';
import type { Channel } from './channel.ts';
import { judgePlayers, type Row } from './judge.ts';
import type { KeyServer } from './key-server.ts';
import { periodSeconds } from './on-air.ts';
import { findStalls, type Player } from './player.ts';

interface Audience {
  /** Players with @latchkey/player. */
  readonly own: readonly Player[];
  /** ffmpeg and mpv, which ask once for each key. */
  readonly others: readonly Player[];
  readonly channels: readonly Channel[];
}

/** Each is shorter than a period, with the start of the server. They begin after the start of a period. */
const outages = [
  { name: 'from the middle of a period to its end', afterStartMs: 3_000, ms: 5_000 },
  { name: 'while the key changes', afterStartMs: 7_500, ms: 5_000 },
];
/** By then a player has seen two periods begin, and knows how long they are. */
const learnMs = 2.5 * periodSeconds * 1_000;
/** What players hold ahead is played by then, so a stall shows. */
const afterOutageMs = 15_000;

/** Kills the key server for less than a period, at two places of a period. */
export async function breakServer(
  server: KeyServer,
  { own, others, channels }: Audience,
  checks: Checks,
  say: (line: string) => void,
): Promise<Row[]> {
  const rows: Row[] = [];
  await sleep(learnMs);
  for (const { name, afterStartMs, ms } of outages) {
    await sleep(server.periodEnd() - Date.now() + afterStartMs);
    const seconds = await server.outage(ms);
    await sleep(afterOutageMs);
    checks.check(
      `an outage ${name} is shorter than a period`,
      seconds < periodSeconds,
      `${seconds.toFixed(1)} s`,
    );
    const seen = await judgePlayers(own, `an outage ${name}`, checks, say);
    const ended = channels.flatMap(({ programs }) => programs.filter((program) => !program.isRunning()));
    const said = ended.map((program) => program.output()).join('; ');
    checks.check(`an outage ${name}: no packager ends`, ended.length === 0, said);
    rows.push([`the key server away for ${seconds.toFixed(1)} s ${name}: @latchkey/player`, seen]);
  }
  rows.push(['the same outages: ffmpeg and mpv, which ask once for each key', await describe(others)]);
  return rows;
}

/** What players noticed that are promised nothing. */
async function describe(players: readonly Player[]): Promise<string> {
  const found: string[] = [];
  for (const player of players) {
    const stalls = findStalls(await player.read());
    found.push(`${player.name}: ${stalls.join(', ') || 'no stall'}`);
  }
  return found.join('; ');
}
