import { openTarget, type Target, type WatchedServer } from '@latchkey/support/black-box/target';
import { answersOf, readKeyRequests } from '@latchkey/support/playback/key-requests';
import { describe, expect, it, vi } from 'vitest';
import { type Film, openPlayerSetup, segmentSeconds } from './player-setup.ts';
import { countStatuses, isKeyRequest } from './requests.ts';
import { openScene, type PlayScene } from './scene.ts';

// The player's behavior if keys are served later: by the clock of the content, or by the viewer's pace.
const stage = await openPlayerSetup('short', openTarget());
const isOwn = (target: Target): target is WatchedServer => 'process' in target;
const epochOf = (path: string) => Number(path.split('/').at(-1));
/** Of a 12 s film with a key for each segment. */
const epochs = 6;

/** Gives a film its key periods. Resolves once every process of the server knows them. */
async function setPeriods(
  { contentId }: Film,
  keyPeriods: object,
  refused: { epoch: number; code: string },
): Promise<void> {
  const { client, adminApiKey: admin } = stage.target;
  const path = `/api/v1/content/${contentId}`;
  expect((await client.call('PATCH', path, { as: admin, json: { keyPeriods } })).status).toBe(200);
  const ask = () => client.get(`/keys/${contentId}/${refused.epoch}`, admin);
  // Several processes: each of them answers now and then.
  await vi.waitFor(async () => {
    for (const _ of Array.from({ length: 5 }))
      expect((await ask()).json).toMatchObject({ code: refused.code });
  }, stage.target.propagationMs + 5_000);
}

/** The answers to the viewer's key requests, as the server logged them: `200`, `403 EPOCH_NOT_YET`. */
async function loggedAnswers({ film, wire }: PlayScene): Promise<string[]> {
  if (isOwn(stage.target)) return answersOf(await readKeyRequests(stage.target, film.contentId)).sort();
  const answered = wire.requests.filter((asked) => isKeyRequest(asked) && asked.status !== undefined);
  return Object.keys(countStatuses(answered)).sort();
}

/** How many key requests the server logged. */
async function loggedCount({ film, wire }: PlayScene): Promise<number> {
  if (isOwn(stage.target)) return (await readKeyRequests(stage.target, film.contentId)).length;
  return wire.requests.filter(isKeyRequest).length;
}

describe('a content with key periods', () => {
  it.concurrent.for(['create', 'shaka'] as const)(
    'a film whose periods of 2 s open by the clock plays to its end with the player (%s), which waits for opensAt without an error',
    async (way, test) => {
      const film = await stage.encrypt({ rotateEvery: 1 });
      // A busy machine takes long to open a page, and the periods begin soon.
      const scene = await openScene(stage, test, { film });
      const ahead = 1;
      const origin = Date.now() + stage.target.propagationMs + 2_000;
      const periods = {
        mode: 'clock',
        origin: new Date(origin).toISOString(),
        periodSeconds: segmentSeconds,
        ahead,
      };
      await setPeriods(film, periods, { epoch: 1_000, code: 'EPOCH_NOT_YET' });
      await scene.play({ way });
      const { errors, waits, retries } = await scene.until('seen.ended');
      expect([errors, retries]).toEqual([[], []]);
      const keys = scene.wire.requests.filter(isKeyRequest);
      const served = keys.filter(({ status }) => status === 200).map(({ path }) => epochOf(path));
      // By the clock there is always a next key, and the player may fetch the one after the film's last ahead.
      expect(served.filter((epoch) => epoch < epochs)).toEqual(
        Array.from({ length: epochs }, (_, epoch) => epoch),
      );
      expect(served.every((epoch) => epoch <= epochs)).toBe(true);
      expect(await loggedAnswers(scene)).toEqual(
        isOwn(stage.target) ? ['200', '403 EPOCH_NOT_YET'] : ['200', '403'],
      );
      // A page waits once for each of the later keys. Each may have been asked for once ahead, and once a moment too soon.
      expect(new Set(waits.map(({ code }) => code))).toEqual(new Set(['EPOCH_NOT_YET']));
      for (const { url, opensAt = '' } of waits)
        expect(Date.parse(opensAt)).toBe(origin + (epochOf(url) - ahead) * segmentSeconds * 1_000);
      expect(await loggedCount(scene)).toBeLessThanOrEqual(3 * epochs);
    },
  );

  it.concurrent.for(['attach', 'shaka'] as const)(
    'after seeks that exceed the pace of a film, the player (%s) waits for Retry-After and plays on without an error',
    async (way, test) => {
      const periods = { mode: 'sequence', count: epochs, periodSeconds: segmentSeconds, burst: 2, speed: 1 };
      const film = await stage.encrypt({ rotateEvery: 1 });
      await setPeriods(film, periods, { epoch: epochs, code: 'EPOCH_NOT_FOUND' });
      const scene = await openScene(stage, test, { film });
      const { page, wire } = scene;
      await scene.play({ way, hlsConfig: { maxBufferLength: 2, maxMaxBufferLength: 2 } });
      for (const seconds of [10.5, 4.5, 6.5]) {
        await page.evaluate(`document.querySelector("video").currentTime = ${seconds}`);
        await page.waitForTimeout(100);
      }
      await scene.until('seen.waits.length > 0');
      const { errors, waits, retries } = await scene.until('seen.ended');
      expect([errors, retries]).toEqual([[], []]);
      expect(new Set(waits.map(({ code }) => code))).toEqual(new Set(['KEY_PACE_EXCEEDED']));
      expect(await loggedAnswers(scene)).toEqual(
        isOwn(stage.target) ? ['200', '429 KEY_PACE_EXCEEDED'] : ['200', '429'],
      );
      const keys = wire.requests.filter(isKeyRequest);
      expect(await loggedCount(scene)).toBe(keys.length);
      const sentAtMs = await keyTimesOf(page);
      expect(sentAtMs.length).toBeGreaterThanOrEqual(keys.length);
      // A request that was sent before the answer came is not a repetition. So all times are from the page's clock.
      for (const { atMs, delayMs } of waits) {
        const endMs = atMs + delayMs - Math.min(delayMs / 3, spreadMs) - earlyMs;
        expect(sentAtMs.filter((sent) => sent > atMs && sent < endMs)).toEqual([]);
      }
    },
  );
});

/**
 * A key that has to wait is requested up to half of its `Retry-After` later, and at most this. So another key of the film may be
 * requested earlier by as much, but never before `Retry-After`.
 */
const spreadMs = 1_000;
/** Timers of a browser keep to whole milliseconds. */
const earlyMs = 5;

/** When the page sent its requests for keys, by its own clock. */
function keyTimesOf(page: PlayScene['page']): Promise<number[]> {
  return page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .filter(({ name }) => /\/keys\/[^/]+\/\d+$/.test(name))
      .map(({ startTime }) => startTime),
  );
}
