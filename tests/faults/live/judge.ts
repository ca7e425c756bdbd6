import type { Checks } from '../checks.ts';
import type { Staged } from './on-air.ts';
import { driftOf, findStalls, type Player, programKinds } from './player.ts';

export type Row = [what: string, seen: string];

/**
 * Checks that no player stalled since its start.
 *
 * @param control plays the same media in the clear, in the page of those that play in a page
 */
export async function judgePlayers(
  players: readonly Player[],
  control: Player,
  when: string,
  checks: Checks,
  say: (line: string) => void,
): Promise<string> {
  let stalls = 0;
  let longestMs = 0;
  const inTheClear = await control.read();
  for (const player of players) {
    const seen = await player.read();
    const isProgram = programKinds.some((kind) => kind === player.kind);
    const found = findStalls(seen, isProgram ? 0 : driftOf(inTheClear));
    stalls += found.length;
    longestMs = Math.max(longestMs, seen.standstillMs);
    const times = `${seen.mediaSeconds.toFixed(1)} s of media in ${seen.wallSeconds.toFixed(1)} s`;
    const errors = [...new Set(seen.errors)].join(', ') || 'no error';
    say(`  ${player.name}: ${times}, ${Math.round(seen.standstillMs)} ms at the longest, ${errors}`);
    checks.check(
      `${when}: ${player.name} does not stall`,
      found.length === 0,
      `${found.join('; ')}; ${errors}`,
    );
  }
  return `${stalls} stalls; the longest time without a new picture: ${Math.round(longestMs)} ms`;
}

/** Checks what was seen of the files of these channels. */
export async function judgeFolders(staged: readonly Staged[], checks: Checks): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { channel, watch } of staged) {
    const { looks, segments, keys, longestMs, wrong } = await watch.finish();
    const counts = `${segments} segments under ${keys} keys`;
    checks.check(
      `${channel.name}: nothing in the clear, nothing listed too early, no gap, no vector twice, all as the packager made it`,
      wrong.length === 0 && segments > 0 && keys > 1,
      wrong.slice(0, 5).join('; ') || counts,
    );
    const [packager, served] = [longestMs.packager, longestMs.served].map((ms) => (ms / 1_000).toFixed(1));
    const pace = `a segment after at most ${packager} s, listed after at most ${served} s`;
    const seen = `${looks.toLocaleString('en')} looks; ${counts} decrypt to the packager's bytes; wrong: ${wrong.length}; ${pace}`;
    rows.push([`files of ${channel.name}`, seen]);
  }
  return rows;
}
