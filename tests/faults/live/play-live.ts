import type { Checks } from '../checks.ts';
import { breakServer } from './break-server.ts';
import { judgeFolders, type Row } from './judge.ts';
import { type LivePrograms, openStudio } from './on-air.ts';
import { type KillOptions, playAndKill } from './play-and-kill.ts';
import { ownKinds, type PagePlayer, type Player, pageKinds } from './player.ts';
import { judgeRevoked, revokePlayers } from './revoke-players.ts';

export interface LiveOptions extends KillOptions {
  /** Removed at the end. */
  readonly folder: string;
  /** For the log of the key server. */
  readonly logFolder: string;
  readonly programs: LivePrograms;
  /** What must be stopped if a signal ends the run. */
  readonly open: Set<{ stop(): Promise<void> }>;
}

/** Plays four live channels, kills, revokes and breaks, and returns a table. */
export async function playLive(checks: Checks, options: LiveOptions): Promise<string> {
  const { folder, logFolder, programs, random, say, open } = options;
  const studio = await openStudio({ folder, logFolder }, programs);
  const rows: Row[] = [];
  open.add(studio);
  try {
    const [byFile, byUrl, fmp4, killed] = await Promise.all([
      studio.stage('by-file', 'by-file'),
      studio.stage('by-url', 'by-url'),
      studio.stage('fmp4', 'fmp4'),
      studio.stage('killed', 'ts'),
    ]);
    const inPage: PagePlayer[] = [];
    const inPrograms = new Map<string, Player[]>();
    for (const staged of [byFile, byUrl, fmp4]) {
      inPage.push(...(await studio.playInPage(staged, pageKinds)));
      inPrograms.set(staged.channel.contentId, await studio.playInPrograms(staged));
    }
    const [victim] = await studio.playInPage(killed, ['hls.js']);
    if (!victim) throw new Error('the channel that is killed has no player');
    const control = await studio.playInTheClear(byFile);
    const players = [...inPage, ...[...inPrograms.values()].flat()];
    say(`${players.length + 2} players play`);

    rows.push(...(await playAndKill({ players, control, killed, victim }, checks, options)));
    const tools = { server: studio.server, random, say };
    rows.push(judgeRevoked(await revokePlayers(inPage, tools), 'plain', checks));
    // ffmpeg that reads its key by URL ends with the first outage. The last segments of its two outputs differ by some pictures.
    await byUrl.watch.finish();
    await byUrl.channel.end();
    const own = [byFile, fmp4].map((staged) => studio.playInPage(staged, ownKinds));
    const audience = {
      own: (await Promise.all(own)).flat(),
      others: [byFile, fmp4].flatMap(({ channel }) => inPrograms.get(channel.contentId) ?? []),
      channels: [byFile.channel, fmp4.channel],
      control,
    };
    rows.push(...(await breakServer(studio.server, audience, checks, say)));
    rows.push(judgeRevoked(await revokePlayers(audience.own, tools), 'ahead', checks));
    rows.push(...(await judgeFolders([byFile, byUrl, fmp4, killed], checks)));
  } finally {
    open.delete(studio);
    await studio.stop();
  }
  return ['| what | seen |', '|---|---|', ...rows.map((row) => `| ${row.join(' | ')} |`)].join('\n');
}
