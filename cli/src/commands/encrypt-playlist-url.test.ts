import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSystemClock } from '@latchkey/shared/clock';
import { expect, it } from 'vitest';
import { liveFiles } from '../testing/follow-live.ts';
import { startLiveKeyServer } from '../testing/live-key-server.ts';
import { runCommand } from '../testing/run-command.ts';
import { temporaryFolder, writeFiles } from '../testing/temporary-folder.ts';

const clock = {
  mode: 'clock',
  origin: '2026-01-01T00:00:00.000Z',
  periodSeconds: 10,
  ahead: 1,
  behind: null,
};

/** Encrypts a live source that has ended. */
async function encryptLive(server: string, more: readonly string[]) {
  const folder = temporaryFolder();
  writeFiles(folder, liveFiles(3, 'a', 'b', '#EXT-X-ENDLIST'));
  const args = [
    'encrypt',
    '--live',
    join(folder, 'live.m3u8'),
    '--content-id',
    'channel',
    '--server',
    server,
  ];
  return runCommand([...args, '--out', join(folder, 'out'), ...more], {
    env: { LATCHKEY_API_KEY: `lk_${'0'.repeat(64)}` },
    clock: createSystemClock(),
    wait: (seconds, signal) => sleep(seconds * 1_000, undefined, signal ? { signal } : {}),
  });
}

it('--playlist-url is stated once, at the start, and not again when the same command goes on', async () => {
  const playlistUrl = 'https://cdn.example/channel/live.m3u8';
  let stored: string | undefined;
  const server = await startLiveKeyServer(clock, (_, response, n) => {
    stored = JSON.parse(server.seen[n]?.body || '{}').playlistUrl ?? stored;
    response.end(JSON.stringify({ content: { id: 'channel', keyPeriods: clock, playlistUrl: stored } }));
  });
  const stated = () =>
    server.seen.filter(({ body }) => body !== '').map(({ line, body }) => [line, JSON.parse(body)]);
  for (let n = 0; n < 2; n++) {
    expect(await encryptLive(server.url, ['--register', '--playlist-url', playlistUrl])).toMatchObject({
      exitCode: 0,
    });
  }
  expect(stated()).toEqual([['PATCH /api/v1/content/channel', { playlistUrl }]]);
});

it.each([
  [['--playlist-url', 'https://x/a.m3u8'], /--playlist-url is stated by --register/],
  [['--register', '--playlist-url', '/a.m3u8'], /--playlist-url "\/a\.m3u8"; accepted: an http or https URL/],
  [['--register', '--playlist-url', 'file:///a'], /accepted: an http or https URL/],
  [['--register', '--playlist-url', 'https://x/a', '--per-rendition-ids'], /not with --per-rendition-ids/],
])('encrypt refuses %j before any request', async (more, message) => {
  const { url, seen } = await startLiveKeyServer(clock);
  const { exitCode, stderr } = await encryptLive(url, more);
  expect([exitCode, stderr, seen]).toEqual([2, expect.stringMatching(message), []]);
});
