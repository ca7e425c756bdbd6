import { setTimeout as sleep } from 'node:timers/promises';
import type { Checks } from '../checks.ts';
import { judgePlayers, type Row } from './judge.ts';
import { killEncryption } from './kill-encryption.ts';
import type { Staged } from './on-air.ts';
import { driftOf, findStalls, type PagePlayer, type Player } from './player.ts';

export interface KillOptions {
  /** How long all channels play before anything but the encryption of the fourth is broken. */
  readonly minutes: number;
  /** Moments at which `latchkey encrypt --live` of the fourth channel is killed. */
  readonly rounds: number;
  /** Returns a whole number from 0 to `below` - 1. */
  readonly random: (below: number) => number;
  readonly say: (line: string) => void;
}

interface Playing {
  /** Of the channels that nothing breaks. */
  readonly players: readonly Player[];
  readonly control: PagePlayer;
  /** The channel whose encryption is killed, and its player. */
  readonly killed: Staged;
  readonly victim: PagePlayer;
}

/** Lets everything play for these minutes, while the encryption of one channel is killed again and again. */
export async function playAndKill(
  { players, control, killed, victim }: Playing,
  checks: Checks,
  { minutes, rounds, random, say }: KillOptions,
): Promise<Row[]> {
  const ms = minutes * 60_000;
  const killing = killEncryption(killed.channel, victim, { rounds, ms, random });
  const [kills] = await Promise.all([killing, sleep(ms)]);
  const rows: Row[] = [];
  for (const contentId of new Set(players.map((player) => player.contentId))) {
    const own = players.filter((player) => player.contentId === contentId);
    const kinds = own.map(({ kind }) => kind).join(', ');
    const seen = await judgePlayers(own, control, `${minutes} minutes`, checks, say);
    rows.push([`${minutes} minutes of ${contentId}: ${kinds}`, seen]);
  }
  const inTheClear = await control.read();
  rows.push([
    'hls.js with the same media in the clear, for comparison',
    `${findStalls(inTheClear, driftOf(inTheClear)).length} stalls; the longest time without a new picture: ${Math.round(inTheClear.standstillMs)} ms`,
  ]);
  const { count, wrong, slowestRecoverySeconds } = kills;
  checks.check(`hls.js plays on after each of ${count} kills`, wrong.length === 0, wrong.join('; '));
  const noticed = findStalls(await victim.read(), driftOf(inTheClear)).join('; ') || 'no stall';
  rows.push([
    `${count} times kill -9 of \`encrypt --live\``,
    `hls.js: ${noticed}. It showed a picture of after the kill within ${slowestRecoverySeconds.toFixed(1)} s`,
  ]);
  return rows;
}
