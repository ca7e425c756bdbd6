import { eventually } from '@latchkey/support/black-box/eventually';
import { openShared } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { describe, expect, it, vi } from 'vitest';
import { openPlayerSetup } from './player-setup.ts';
import { isKeyRequest, isLeaseRequest } from './requests.ts';
import { freshToken, openScene, type PlayScene } from './scene.ts';

// Which leases a page holds, and for how long.
const single = openShared('one-lease');
const stage = await openPlayerSetup('short', single);
const film = await stage.encrypt();
const required = await openShared('leases-required');
const apart = await stage.encrypt({ server: required, perRenditionIds: true });
/** The lowest quality until the test requests another, and a short buffer. */
const hlsConfig = {
  startLevel: 0,
  abrBandWidthFactor: 0.001,
  abrBandWidthUpFactor: 0.001,
  maxBufferLength: 4,
  maxMaxBufferLength: 4,
};

const play = ({ page }: PlayScene) => page.evaluate('document.querySelector("video").play()');
async function activeLeases(viewerId: string): Promise<string[]> {
  const { client, adminApiKey } = stage.target;
  const { json } = await client.get(`/api/v1/leases?state=active&viewerId=${viewerId}`, adminApiKey);
  return json.leases.map(({ id }: { id: string }) => id);
}

describe.concurrent('a viewer who may play on one device', () => {
  it('a viewer limited to one device plays on a second one once the first has played to the end, which then gets LEASE_LIMIT_REACHED', async (test) => {
    const viewerId = unique('viewer');
    const first = await openScene(stage, test, { film, viewerId });
    await first.play({ rate: 4 });
    const { errors, leases } = await first.until('seen.ended && seen.leaseId === null');
    expect([errors, leases]).toEqual([[], [expect.any(String), null]]);
    await eventually(async () => expect(await activeLeases(viewerId)).toEqual([]));

    const second = await openScene(stage, test, { film, viewerId });
    await second.play();
    const { leaseId } = await second.until('seen.currentTime > 0.5');
    expect(await activeLeases(viewerId)).toEqual([leaseId]);

    await play(first).catch(() => {});
    const refused = await first.until('seen.errors.length > 0');
    expect(refused.errors).toMatchObject([{ code: 'LEASE_LIMIT_REACHED', leases: [{ id: leaseId }] }]);
    await second.page.close();
  });

  it('a viewer limited to one device plays after a reload, even if the page was left before it knew the id of its lease', async (test) => {
    const viewerId = unique('viewer');
    const { page, wire, load, play: playAgain, until } = await openScene(stage, test, { film, viewerId });
    const arrives = wire.withhold(isLeaseRequest(''));
    load().catch(() => {});
    await eventually(async () => expect(await activeLeases(viewerId)).toHaveLength(1));
    arrives();
    await page.reload();
    await page.waitForFunction('window.isReady');
    await playAgain();
    const { errors, leaseId } = await until('seen.currentTime > 0.5');
    expect(errors).toEqual([]);
    expect(await activeLeases(viewerId)).toEqual([leaseId]);
  });

  it('a viewer limited to one device plays the same video again after its end, with a new lease', async (test) => {
    const viewerId = unique('viewer');
    const scene = await openScene(stage, test, { film, viewerId });
    await scene.play({ rate: 4 });
    await scene.until('seen.ended && seen.leaseId === null');
    await play(scene);
    const { leaseId, errors, leases } = await scene.until('seen.leaseId !== null && !seen.paused');
    expect([errors, leases]).toEqual([[], [expect.any(String), null, leaseId]]);
    expect(await activeLeases(viewerId)).toEqual([leaseId]);
  });

  it.for([
    ['two minutes', {}, 119_000],
    ['the application’s own limit', { leases: { releaseAfterPausedSeconds: 10 } }, 9_000],
  ] as const)(
    'a pause for longer than %s gives the lease back, and playback goes on with a new one',
    async ([, options, keptMs], test) => {
      const viewerId = unique('viewer');
      const scene = await openScene(stage, test, { film, viewerId });
      await scene.play({ hasOwnTime: true, ...options });
      await scene.until('seen.currentTime > 1');
      await scene.page.evaluate('document.querySelector("video").pause()');
      const { leaseId } = await scene.until('seen.paused');
      // The pause began in the past half minute, however slow the machine is.
      await scene.letPass(keptMs - (keptMs > 30_000 ? 30_000 : 8_000));
      expect((await scene.seen()).leaseId).toBe(leaseId);
      await scene.letPass(40_000);
      await scene.until('seen.leaseId === null');
      await eventually(async () => expect(await activeLeases(viewerId)).toEqual([]));
      await play(scene);
      const { errors } = await scene.until('seen.currentTime > 2 && seen.leaseId !== null');
      expect(errors).toEqual([]);
    },
  );
});

describe.concurrent('what `encrypt --per-rendition-ids` makes plays with LEASE_MODE=required', () => {
  it.for([
    ['names the presentation', undefined],
    ['names no content', null],
  ] as const)(
    'with LEASE_MODE=required and a content id for each rendition, where load() %s, each of these contents gets a lease',
    async ([, contentId], test) => {
      const viewerId = unique('viewer');
      const token = () => freshToken(required, viewerId);
      const scene = await openScene(stage, test, { film: apart, server: required, viewerId, token });
      const { wire, page } = scene;
      await scene.play({ hlsConfig, ...(contentId === null && { contentId }) });
      await scene.until('seen.currentTime > 0.5');
      await page.evaluate('player().hls.nextLevel = 1');
      await page.evaluate('document.querySelector("video").playbackRate = 2');
      const { errors, widths } = await scene.until('seen.ended');
      expect(errors).toEqual([]);
      expect(new Set(widths).size).toBe(2);

      const keys = wire.requests.filter(isKeyRequest).filter(({ status }) => status === 200);
      const contentOf = (path: string) => path.split('/')[2] ?? '';
      const contents = [...new Set(keys.map(({ path }) => contentOf(path)))];
      expect(contents).toHaveLength(2);
      const created = wire.requests.filter(isLeaseRequest('')).filter(({ status }) => status === 201);
      const leased = created.map(({ body }) => JSON.parse(body).contentId);
      expect(new Set(leased)).toEqual(new Set(contents));
      // At most once: from then on the player knows that leases are required.
      const refused = wire.requests.filter(isKeyRequest).filter(({ status }) => status === 403);
      const withoutLease = refused.filter(({ headers }) => headers['x-lease-id'] === undefined);
      expect(withoutLease.length).toBeLessThanOrEqual(1);
      // The one change of quality may cut a request whose lease is given back before it arrives.
      expect(refused.length - withoutLease.length).toBeLessThanOrEqual(1);
      await vi.waitFor(() =>
        expect(
          wire.requests.filter(isLeaseRequest('/revoke')).filter(({ status }) => status === 200),
        ).toHaveLength(created.length),
      );
    },
  );
});
