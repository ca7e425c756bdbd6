import { hash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { keyOfUrl } from '../testing/encrypt-files.ts';
import { startLiveKeyServer } from '../testing/live-key-server.ts';
import { playPresentation } from '../testing/play-presentation.ts';
import { apiKeyEnv, startProcess } from '../testing/run-command.ts';
import { temporaryFolder, writeFiles } from '../testing/temporary-folder.ts';

/** One of each kind in `npm test`; `LIVE_KILL_ROUNDS=30` for the long form. */
const rounds = Number(process.env.LIVE_KILL_ROUNDS ?? 2);
const segmentMs = 60;
/** The least. No segment leaves it before it was seen in the output: how soon a process starts again is the machine's affair. */
const windowLength = 100;

const contentOf = (number: number) => `segment ${number} of the source`;

/**
 * A packager: a segment every 60 ms, a window of 100 or more, a discontinuity now and then.
 *
 * @param seenCount how many segments were seen in the output
 */
function startPackager(folder: string, seenCount: () => number) {
  let next = 0;
  const write = (tail: string) => {
    const first = Math.max(0, Math.min(next - windowLength, seenCount()));
    const lines = ['#EXTM3U', '#EXT-X-TARGETDURATION:1', `#EXT-X-MEDIA-SEQUENCE:${first}`];
    for (let number = first; number < next; number++) {
      if (number % 17 === 5) lines.push('#EXT-X-DISCONTINUITY');
      lines.push(`#EXTINF:${segmentMs / 1_000},`, `${number}.ts`);
    }
    writeFileSync(join(folder, 'live.tmp'), `${lines.join('\n')}\n${tail}`);
    renameSync(join(folder, 'live.tmp'), join(folder, 'live.m3u8'));
  };
  const timer = setInterval(() => {
    writeFileSync(join(folder, `${next}.ts`), contentOf(next));
    next++;
    write('');
  }, segmentMs);
  onTestFinished(() => clearInterval(timer));
  return {
    end(): number {
      clearInterval(timer);
      write('#EXT-X-ENDLIST\n');
      return next;
    },
  };
}

/** Reads the output as a player does: each playlist must play, and what was seen once must stay as it was. */
function watchOutput(out: string) {
  const playlist = join(out, 'live.m3u8');
  /** By number in the output: the file, its content, and key with vector. */
  const seen = new Map<number, { path: string; clear: string; used: string }>();
  let firstNumber = 0;
  const look = () => {
    if (!existsSync(playlist)) return;
    const [played] = playPresentation(playlist, keyOfUrl);
    const first = Number(/#EXT-X-MEDIA-SEQUENCE:(\d+)/.exec(played?.text ?? '')?.[1]);
    expect(first).toBeGreaterThanOrEqual(firstNumber);
    firstNumber = first;
    played?.segments.forEach(({ path, clear, keyUrl, iv }, index) => {
      const number = first + index;
      const digits = hash('sha256', readFileSync(path)).slice(0, 8);
      expect(path).toBe(join(out, `${String(number).padStart(5, '0')}.${digits}.ts`));
      const now = { path, clear: clear.toString(), used: `${keyUrl} ${iv}` };
      expect(seen.get(number) ?? now).toEqual(now);
      seen.set(number, now);
    });
  };
  const lookFor = async (ms: number) => {
    for (const until = Date.now() + ms; Date.now() < until; await sleep(20)) look();
  };
  return { seen, look, lookFor };
}

it(`killed at ${rounds} random moments, live encryption goes on: no gap, no number or vector twice, and every playlist plays`, async () => {
  const folder = writeFiles(temporaryFolder(), { 'in/.keep': '' });
  const origin = new Date().toISOString();
  const periods = { mode: 'clock', origin, periodSeconds: 1, ahead: 1, behind: null };
  const { url } = await startLiveKeyServer(periods);
  const { seen, look, lookFor } = watchOutput(join(folder, 'out'));
  const packager = startPackager(join(folder, 'in'), () => seen.size);
  const source = join(folder, 'in/live.m3u8');
  const args = ['encrypt', '--live', source, '--content-id', 'film', '--out', join(folder, 'out')];
  const start = () => startProcess('main.ts', [...args, '--server', url], { ...process.env, ...apiKeyEnv });

  for (let round = 0; round < rounds; round++) {
    const child = start();
    const before = seen.size;
    // Half of the kills hit a process that is starting; each other one has written something.
    if (round % 2 === 0) while (seen.size === before) await lookFor(20);
    await lookFor(Math.random() * 400);
    child.kill('SIGKILL');
    await once(child, 'exit');
    look();
  }
  const child = start();
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  const exited = once(child, 'exit');
  await lookFor(500);
  const count = packager.end();
  const [exitCode] = await exited;
  look();
  expect([exitCode, said]).toEqual([0, expect.stringContaining('The source has ended.')]);
  expect([...seen.values()].map(({ clear }) => clear)).toEqual(
    Array.from({ length: count }, (_, n) => contentOf(n)),
  );
  expect(new Set([...seen.values()].map(({ used }) => used)).size).toBe(count);
}, 300_000);
