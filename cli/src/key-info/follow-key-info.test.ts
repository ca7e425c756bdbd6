import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { AppError } from '@latchkey/shared/errors';
import { createManualClock } from '@latchkey/shared/testing';
import { describe, expect, it } from 'vitest';
import type { Schedule } from '../keys/clock-periods.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { followKeyInfo } from './follow-key-info.ts';
import { createKeyPairFiles } from './key-pair-files.ts';

const uriOf = (epoch: number) => `https://keys.example/keys/live/${epoch}`;
const keyOf = (epoch: number) => Buffer.alloc(16, epoch + 1);

interface Scene {
  seconds: number;
  ahead?: number;
  whenUnreachable?: 'keep' | 'stop';
  offsetMs?: number;
  startSeconds?: number;
  /** The server's reaction to a request at this second. */
  answer?: (epoch: number, second: number) => Error | 'hang' | undefined;
  /** Before the run. */
  prepare?: (folder: string) => void;
}

/** Runs the command's loop on a clock that its own waits move, and reads the files at each of them as an encoder does. */
async function follow(scene: Scene) {
  const { seconds, ahead = 1, whenUnreachable = 'keep', offsetMs = 0, startSeconds = 0 } = scene;
  const clock = createManualClock();
  const origin = clock.now();
  clock.advance(startSeconds * 1_000);
  const folder = temporaryFolder();
  scene.prepare?.(folder);
  const file = join(folder, 'live.keyinfo');
  const ending = new AbortController();
  const requests: [epoch: number, second: number][] = [];
  const warnings: string[] = [];
  const seen: { second: number; epoch: number; iv: string }[] = [];
  const second = () => (clock.now() - origin) / 1_000;
  const schedule: Schedule = {
    periods: { mode: 'clock', origin, periodSeconds: 10, ahead, behind: null },
    keyEndpoint: '/keys/live',
    clockOffsetMs: offsetMs,
  };

  function readAsEncoder() {
    if (!existsSync(file)) return;
    const [uri = '', keyPath = '', iv = ''] = readFileSync(file, 'utf8').split('\n');
    const epoch = Number(uri.slice(uriOf(0).length - 1));
    expect(readFileSync(keyPath)).toEqual(keyOf(epoch));
    for (const path of [file, keyPath]) expect(statSync(path).mode & 0o777).toBe(0o600);
    seen.push({ second: second(), epoch, iv });
  }
  const running = followKeyInfo({
    schedule,
    readSchedule: async () => schedule,
    async fetchKey(epoch, signal) {
      requests.push([epoch, second()]);
      const answered = scene.answer?.(epoch, second());
      if (answered === 'hang') await new Promise((_, reject) => signal.addEventListener('abort', reject));
      if (answered instanceof Error) throw answered;
      return keyOf(epoch);
    },
    files: createKeyPairFiles(file),
    uriOf,
    whenUnreachable,
    clock,
    randomBytes,
    async wait(duration) {
      await turn();
      readAsEncoder();
      clock.advance(duration * 1_000);
      if (second() >= startSeconds + seconds) ending.abort(new Error('interrupted'));
    },
    signal: ending.signal,
    warn: (text) => void warnings.push(text),
  });
  const error = await running.then(
    () => undefined,
    (thrown: Error) => thrown,
  );
  const epochAt = (at: number) => seen.findLast((one) => one.second <= at)?.epoch;
  return { folder, file, requests, warnings, seen, epochAt, error };
}
const away = () => new AppError('DEPENDENCY_UNAVAILABLE', { detail: 'cannot be reached' });
const awayBetween = (from: number, to: number) => (_: number, second: number) =>
  second >= from && second < to ? away() : undefined;

describe('following the key info of a live content', () => {
  it('the key changes at each boundary of the clock, every key is fetched once and one period ahead, and every IV is new', async () => {
    const { seen, requests, warnings, error } = await follow({ seconds: 35 });
    expect(error).toBeUndefined();
    for (const { second, epoch } of seen) expect([second, epoch]).toEqual([second, Math.floor(second / 10)]);
    expect(new Set(seen.map(({ iv }) => iv)).size).toBe(seen.length);
    expect(requests.map(([epoch]) => epoch)).toEqual([0, 1, 2, 3, 4]);
    for (const [epoch, second] of requests.slice(2)) expect(second).toBeLessThan((epoch - 1) * 10 + 1);
    expect(warnings).toEqual([]);
  });

  it('only the present key and the one before lie next to the key info, also after an earlier run was killed', async () => {
    const { folder } = await follow({
      seconds: 45,
      prepare: (path) => {
        for (const name of [
          'live.keyinfo.99.key',
          '.live.keyinfo.partial',
          'live.keyinfo.note.key',
          'other.1.key',
        ])
          writeFileSync(join(path, name), 'of before');
      },
    });
    expect(readdirSync(folder).sort()).toEqual([
      'live.keyinfo',
      'live.keyinfo.3.key',
      'live.keyinfo.4.key',
      'live.keyinfo.note.key',
      'other.1.key',
    ]);
  });

  it('an outage that is shorter than a period and over before its key is needed goes unnoticed', async () => {
    const { epochAt, warnings } = await follow({ seconds: 45, answer: awayBetween(10, 18.5) });
    expect([9, 10, 19, 20, 29, 30].map(epochAt)).toEqual([0, 1, 1, 2, 2, 3]);
    expect(warnings).toEqual([]);
  });

  it('with "ahead" 3, an outage of three periods goes unnoticed', async () => {
    const { epochAt, warnings } = await follow({ seconds: 60, ahead: 3, answer: awayBetween(5, 35) });
    expect([10, 20, 30, 40].map(epochAt)).toEqual([1, 2, 3, 4]);
    expect(warnings).toEqual([]);
  });

  it('in a longer outage the last key is kept, which is said once, and the key of now follows as soon as the server is back', async () => {
    const { epochAt, warnings, seen } = await follow({ seconds: 65, answer: awayBetween(10, 42) });
    expect([15, 20, 35, 41].map(epochAt)).toEqual([1, 1, 1, 1]);
    expect(epochAt(44)).toBe(4);
    expect(warnings).toEqual([
      expect.stringContaining('the key of epoch 2 cannot be had (cannot be reached)'),
      expect.stringContaining('the server is back'),
    ]);
    expect(new Set(seen.map(({ iv }) => iv)).size).toBe(seen.length);
  });

  it('with stop, a longer outage removes the files when the next period begins, and the command fails', async () => {
    const { error, folder, seen } = await follow({
      seconds: 60,
      whenUnreachable: 'stop',
      answer: awayBetween(10, 60),
    });
    expect(error).toMatchObject({ code: 'DEPENDENCY_UNAVAILABLE' });
    expect(error?.message).toContain('the key of epoch 2 cannot be had');
    expect(seen.at(-1)?.second).toBeGreaterThan(19);
    expect(seen.at(-1)?.second).toBeLessThan(22);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('a server that does not answer keeps neither the IV nor the loop from going on', async () => {
    const { seen } = await follow({ seconds: 30, answer: (epoch) => (epoch === 1 ? 'hang' : undefined) });
    expect(seen.length).toBeGreaterThan(50);
    expect(new Set(seen.map(({ epoch }) => epoch))).toEqual(new Set([0]));
  });

  it('with "ahead" 0 and a server whose clock is a little behind, the key changes as soon as it is served, and stop does not end it', async () => {
    const { epochAt, warnings, error } = await follow({
      seconds: 30,
      ahead: 0,
      whenUnreachable: 'stop',
      answer: (epoch, second) => (second < epoch * 10 + 1 ? new AppError('EPOCH_NOT_YET') : undefined),
      startSeconds: 1,
    });
    expect(error).toBeUndefined();
    expect([9, 10, 14, 24].map(epochAt)).toEqual([0, 0, 1, 2]);
    expect(warnings).toEqual([]);
  });

  it('before the origin nothing is written, and the first key comes with its period', async () => {
    const { seen } = await follow({ seconds: 20, startSeconds: -5 });
    expect(seen[0]).toMatchObject({ second: 0, epoch: 0 });
  });

  it('a first key that cannot be had ends the command with the error of the server, and writes no file', async () => {
    const { error, folder } = await follow({ seconds: 20, answer: away });
    expect(error).toMatchObject({ code: 'DEPENDENCY_UNAVAILABLE' });
    expect(readdirSync(folder)).toEqual([]);
  });
});
