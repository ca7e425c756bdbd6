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
  readonly control: Player;
}

/** Each is shorter than a period. They begin after the start of a period. */
const outageMs = 7_000;
const outages = [
  { name: 'from the middle of a period to its end', afterStartMs: 3_000 },
  { name: 'while the key changes', afterStartMs: 7_500 },
];
/** By then a player has seen two periods begin, and knows how long they are. */
const learnMs = 2.5 * periodSeconds * 1_000;
/** What players hold ahead is played by then, so a stall shows. */
const afterOutageMs = 15_000;

/** Takes the key server out of reach for less than a period, at two places of a period. */
export async function breakServer(
  server: KeyServer,
  { own, others, channels, control }: Audience,
  checks: Checks,
  say: (line: string) => void,
): Promise<Row[]> {
  const rows: Row[] = [];
  await sleep(learnMs);
  for (const { name, afterStartMs } of outages) {
    await sleep(server.periodEnd() - Date.now() + afterStartMs);
    await server.outage(outageMs);
    await sleep(afterOutageMs);
    const attached = own.filter(({ kind }) => kind.startsWith('hls.js'));
    const seen = await judgePlayers(attached, control, `an outage ${name}`, checks, say);
    // Shaka asks for a key some seconds before it plays it, and repeats a failed request after up to 4.5 s: it may wait, and plays on.
    const filtered = own.filter((player) => !attached.includes(player));
    for (const player of filtered) {
      const { errors } = await player.read();
      checks.check(`an outage ${name}: ${player.name} has no error`, errors.length === 0, errors.join('; '));
    }
    const ended = channels.flatMap(({ programs }) => programs.filter((program) => !program.isRunning()));
    const said = ended.map((program) => program.output()).join('; ');
    checks.check(`an outage ${name}: no packager ends`, ended.length === 0, said);
    rows.push([`the key server out of reach for ${outageMs / 1_000} s ${name}: attach()`, seen]);
    rows.push([`the same: shakaRequestFilter()`, await describe(filtered)]);
  }
  rows.push(['the same outages: ffmpeg and mpv, which ask once for each key', await describe(others)]);
  return rows;
}

/** What players noticed that are promised no more than to play on. */
async function describe(players: readonly Player[]): Promise<string> {
  const found: string[] = [];
  for (const player of players) {
    const stalls = findStalls(await player.read());
    found.push(`${player.name}: ${stalls.join(', ') || 'no stall'}`);
  }
  return found.join('; ');
}
