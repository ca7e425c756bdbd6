import { setTimeout as sleep } from 'node:timers/promises';
import type { Checks } from '../checks.ts';
import { ask } from '../client/ask.ts';
import { demand } from '../client/management.ts';
import type { Row } from './judge.ts';
import type { KeyServer } from './key-server.ts';
import { periodSeconds } from './on-air.ts';
import type { PagePlayer } from './player.ts';

interface RevokedPlayer {
  readonly name: string;
  /** The time of day of the last picture, in seconds after the answer to the revocation. */
  readonly lastPictureSeconds: number;
  /** Media that it played after the answer, from what it showed at that moment. */
  readonly playedSeconds: number;
  /** Answers to the requests for 1,000 epochs, by status and code. */
  readonly answers: ReadonlyMap<string, number>;
}

const epochsTried = 1_000;
/** No picture for this long: playback has ended. Longer than a player takes for a last attempt at a key. */
const endedMs = 12_000;
const limitMs = 90_000;
const lookEveryMs = 200;
/** Requests of the refused client at once. */
const connections = 8;

interface Tools {
  readonly server: KeyServer;
  readonly random: (below: number) => number;
  readonly say: (line: string) => void;
}

/** Revokes each player at a random moment of a period. */
export function revokePlayers(
  players: readonly PagePlayer[],
  { server, random, say }: Tools,
): Promise<RevokedPlayer[]> {
  return Promise.all(
    players.map(async (player) => {
      await sleep(random(periodSeconds * 1_000));
      const revoked = await revokePlayer(player, server);
      const last = `${revoked.lastPictureSeconds.toFixed(1)} s after the revocation`;
      say(`  ${player.name}: last picture is from ${last}, ${JSON.stringify([...revoked.answers])}`);
      return revoked;
    }),
  );
}

/**
 * Revokes the viewer of a player, and waits until playback has ended. Then a client with the same token asks for the epochs
 * around the current one, each once.
 */
async function revokePlayer(player: PagePlayer, server: KeyServer): Promise<RevokedPlayer> {
  const { viewerId, contentId } = player;
  await demand(server.management.call('POST', '/keys/leases/revoke', { viewerId, contentId }));
  const revokedMs = Date.now();
  const before = await player.read();
  let last = { ...before, atMs: performance.now() };
  const beganMs = performance.now();
  while (performance.now() - last.atMs < endedMs) {
    if (performance.now() - beganMs > limitMs)
      throw new Error(`${player.name} plays on after the revocation`);
    await sleep(lookEveryMs);
    const now = await player.read();
    // Shaka Player moves its time on without a picture, to get past what it cannot load.
    if (now.pictures !== last.pictures) last = { ...now, atMs: performance.now() };
  }
  const answers = await tryEpochs(player, server);
  return {
    name: player.name,
    lastPictureSeconds: ((last.dateMs ?? Number.NaN) - revokedMs) / 1_000,
    playedSeconds: last.currentTime - before.currentTime,
    answers,
  };
}

async function tryEpochs({ contentId, token }: PagePlayer, server: KeyServer): Promise<Map<string, number>> {
  const first = Math.max(0, server.currentEpoch() - epochsTried / 2);
  const answers = new Map<string, number>();
  const headers = { authorization: `Bearer ${token}` };
  let next = first;
  const work = async () => {
    while (next < first + epochsTried) {
      const { status, code } = await ask(server.url, { path: `/keys/${contentId}/${next++}`, headers });
      const answer = `${status} ${code}`.trim();
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
  return answers;
}

/**
 * The last segment of a period begins in it, and ends up to its own length later. A player that fetches ahead may hold the key of
 * the next period as well (docs/live.md, "What a revoked viewer can still hold").
 */
const boundSeconds = { plain: periodSeconds + 2, ahead: 2 * periodSeconds + 2 };

/** Checks how far revoked players came, and that nothing was served afterwards. */
export function judgeRevoked(
  revoked: readonly RevokedPlayer[],
  kind: keyof typeof boundSeconds,
  checks: Checks,
): Row {
  for (const { name, lastPictureSeconds, answers } of revoked) {
    checks.check(
      `${name}: the last picture is from at most ${boundSeconds[kind]} s after the revocation`,
      lastPictureSeconds <= boundSeconds[kind],
      `${lastPictureSeconds.toFixed(1)} s`,
    );
    const refused = [...answers].filter(([answer]) => /^403 /.test(answer));
    const count = refused.reduce((sum, [, times]) => sum + times, 0);
    const isEach = count === epochsTried;
    checks.check(`${name}: refused, it gets no key of 1,000 epochs`, isEach, [...answers].join(' · '));
  }
  const latest = Math.max(...revoked.map(({ lastPictureSeconds }) => lastPictureSeconds)).toFixed(1);
  const played = Math.max(...revoked.map(({ playedSeconds }) => playedSeconds)).toFixed(1);
  const answers = [...new Set(revoked.flatMap((each) => [...each.answers.keys()]))].join(', ');
  const who = kind === 'plain' ? 'hls.js and Shaka Player' : '@latchkey/player';
  return [
    `${revoked.length} viewers with ${who} revoked, each at a random moment`,
    `the last picture is from ${latest} s after the revocation, and at most ${played} s were played. 1,000 epochs each: ${answers}`,
  ];
}
