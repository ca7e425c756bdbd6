import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createManualClock } from '@latchkey/shared/testing';
import { expect, it, onTestFinished } from 'vitest';
import { machineName } from '../encrypt/output-folder.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { claimFolder } from './claim-folder.ts';

/** A process id that Linux never gives: over the largest `pid_max`. */
const deadPid = 2 ** 22 + 1;

function claim(folder: string) {
  // The present, since the time of the claim's file is compared with it.
  const clock = createManualClock(Date.now());
  const end = new AbortController();
  onTestFinished(() => end.abort());
  const wait = async (seconds: number) => clock.advance(seconds * 1_000);
  const options = { folder, contentId: 'channel', source: '/in/live.m3u8', clock, wait, signal: end.signal };
  return { claimed: claimFolder(options), clock };
}

function folderOf(holder: { machine: string; pid: number }): string {
  const folder = temporaryFolder();
  const text = JSON.stringify({ contentId: 'channel', source: '/in/live.m3u8', ...holder });
  writeFileSync(join(folder, '.latchkey-live-claim.json'), text);
  return folder;
}

it('a folder whose process was killed on this machine is taken over at once', async () => {
  const { claimed, clock } = claim(folderOf({ machine: machineName(), pid: deadPid }));
  const before = clock.now();
  await claimed;
  expect(clock.now()).toBe(before);
});

it('a folder of a process of another machine is taken over once its claim was not touched for eight seconds', async () => {
  const { claimed, clock } = claim(folderOf({ machine: `not-${hostname()}`, pid: 1 }));
  const before = clock.now();
  await claimed;
  expect(clock.now() - before).toBeGreaterThanOrEqual(7_000);
});

it('a folder that a running process touches is refused', async () => {
  const folder = folderOf({ machine: machineName(), pid: process.ppid });
  // The time of the file moves with the clock: as if it were touched always.
  const clock = { now: () => Date.now(), monotonic: () => monotonic };
  let monotonic = 0;
  const wait = async (seconds: number) => {
    monotonic += seconds * 1_000;
  };
  const { signal } = new AbortController();
  const options = { folder, contentId: 'channel', source: '/in/live.m3u8', clock, wait, signal };
  await expect(claimFolder(options)).rejects.toThrow(`is being written by process ${process.ppid}`);
  expect(readdirSync(folder)).toEqual(['.latchkey-live-claim.json']);
});

it('the claim of a source that signs its URL has no token, and the same source with another token goes on', async () => {
  const folder = temporaryFolder();
  const start = async (token: string) => {
    const end = new AbortController();
    const clock = createManualClock();
    const source = `https://cdn.example/live.m3u8?token=${token}`;
    await claimFolder({
      folder,
      contentId: 'channel',
      source,
      clock,
      wait: async () => {},
      signal: end.signal,
    });
    end.abort();
    return readFileSync(join(folder, '.latchkey-live-claim.json'), 'utf8');
  };
  expect(await start('canary')).not.toContain('canary');
  expect(await start('canary2')).not.toContain('canary');
});
