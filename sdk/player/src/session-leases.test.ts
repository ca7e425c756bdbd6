import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PlayerError } from './player-error.ts';
import { shakaRequestFilter } from './shaka.ts';
import { type FakeKeyServer, keyUrl, problem, type SeenRequest } from './testing/fake-key-server.ts';
import { settle } from './testing/manual-clock.ts';
import { createPlayerScene, type PlayerScene, playlist } from './testing/player-scene.ts';

/** Renditions with their own content ids, and a server that demands a lease for each key (`LEASE_MODE=required`). */
const [low, high, sound] = ['film-low', 'film-high', 'film-sound'];
let limit: number;
let scene: PlayerScene;
let fake: FakeKeyServer;
let errors: PlayerError[];
let held: Map<string, string>;
let most: number;
beforeEach(() => {
  scene = createPlayerScene();
  ({ fake, errors } = scene);
  held = new Map();
  most = 0;
  limit = 2;
  let count = 0;
  fake.answer('POST', ({ path, json }) => {
    const { contentId, leaseId } = (json ?? {}) as { contentId: string; leaseId: string };
    if (path.endsWith('/revoke')) return Response.json({ revoked: Number(held.delete(leaseId)), leases: [] });
    if (held.size >= limit) return problem(409, 'LEASE_LIMIT_REACHED', { leases: [] });
    count += 1;
    held.set(`lease-${count}`, contentId);
    most = Math.max(most, held.size);
    const lease = { id: `lease-${count}`, contentId };
    return Response.json({ lease, ttl_seconds: 100, renew_after_seconds: 75 }, { status: 201 });
  });
  fake.answer('GET', demandLease);
});

afterEach(() => vi.unstubAllGlobals());

function demandLease({ path, leaseId }: SeenRequest): Response {
  const [, , contentId, epoch] = path.split('/');
  if (leaseId === null) return problem(403, 'LEASE_REQUIRED');
  if (held.get(leaseId) !== contentId)
    return problem(403, held.has(leaseId) ? 'LEASE_UNKNOWN' : 'LEASE_REVOKED');
  return new Response(new Uint8Array(16).fill(Number(epoch)));
}

/** Holds the answers to all requests that begin with this, until they are released. */
function holdBack(prefix: string): { letPass(): void } {
  const { promise: passed, resolve: letPass } = Promise.withResolvers<void>();
  fake.answer(prefix, (request) => passed.then(() => demandLease(request)));
  return { letPass };
}

async function open(contentId?: string) {
  const { player, hls } = scene.open();
  Object.assign(hls.config, { autoStartLoad: true });
  const loaded = player.load(playlist, contentId === undefined ? {} : { contentId });
  loaded.catch(() => {});
  hls.trigger('MANIFEST_PARSED');
  hls.trigger('LEVEL_LOADED', { details: { fragments: [{ sn: 0, decryptdata: { uri: keyUrl(0, low) } }] } });
  await loaded;
  return { player, hls };
}

describe('renditions with content ids of their own, where every key needs a lease', () => {
  it.each(['film', low, undefined])(
    'renditions with their own content ids play with load() for %s: each that plays has a lease, at most two at a time, and all are released',
    async (contentId) => {
      const { player, hls } = await open(contentId);
      expect(await hls.askForKey(keyUrl(1, low))).toBe(1);
      expect(await hls.askForKey(keyUrl(1, sound), 0, 'audio')).toBe(1);
      expect(await hls.askForKey(keyUrl(2, high))).toBe(2);
      expect([...held.values()].sort()).toEqual([high, sound]);
      expect(await hls.askForKey(keyUrl(2, sound), 0, 'audio')).toBe(2);
      expect(await hls.askForKey(keyUrl(3, low))).toBe(3);
      expect(held.get(player.lease?.id ?? '')).toBe(low);
      expect([most, errors]).toEqual([limit, []]);
      // One refused request shows that leases are demanded. If the first key's content has the lease, it is one for the second.
      expect(fake.to('GET').filter(({ leaseId }) => leaseId === null)).toHaveLength(1);
      await player.destroy();
      expect(held.size).toBe(0);
    },
  );

  it('a change of quality that aborts a key request plays on: the aborted key takes no lease back', async () => {
    const { hls } = await open('film');
    await hls.askForKey(keyUrl(1, low));
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    const late = fake.answer(`GET /keys/${low}/2`, (request) => answered.then(() => demandLease(request)));
    const abort = hls.askAndAbort(keyUrl(2, low));
    await settle();
    abort();
    const wanted = hls.askForKey(keyUrl(2, high));
    await settle();
    answer();
    late.restore();
    expect(await wanted).toBe(2);
    await fake.clock.advance(10_000);
    expect([...held.values()]).toEqual([high]);
    expect(errors).toEqual([]);
  });

  it('several keys at once make one request without a lease to find out that leases are demanded, and the others wait', async () => {
    const { hls } = await open('film');
    const slow = holdBack('GET');
    const keys = [
      hls.askForKey(keyUrl(1, low)),
      hls.askForKey(keyUrl(2, low)),
      hls.askForKey(keyUrl(1, sound), 0, 'audio'),
    ];
    await settle();
    expect(fake.to('GET')).toHaveLength(1);
    slow.letPass();
    expect(await Promise.all(keys)).toEqual([1, 2, 1]);
    expect(fake.to('GET').filter(({ leaseId }) => leaseId === null)).toHaveLength(1);
    expect([most, errors]).toEqual([limit, []]);
  });

  it('if the first key request fails without showing whether leases are demanded, the next one finds out', async () => {
    const { hls } = await open('film');
    const away = fake.answer(`GET /keys/${low}`, () => problem(503, 'DEPENDENCY_UNAVAILABLE'));
    const keys = [hls.askForKey(keyUrl(1, low)), hls.askForKey(keyUrl(1, sound), 0, 'audio')];
    expect(await keys[1]).toBe(1);
    away.restore();
    await fake.clock.advance(1_000);
    expect(await keys[0]).toBe(1);
    expect(errors).toEqual([]);
  });

  it('after the end of playback nothing is requested, also not a key that waited for the answer to another', async () => {
    const { hls, player } = await open('film');
    const slow = holdBack('GET');
    hls.askForKey(keyUrl(1, low));
    hls.askForKey(keyUrl(1, sound), 0, 'audio');
    await settle();
    const destroyed = player.destroy();
    slow.letPass();
    await destroyed;
    await fake.clock.advance(60_000);
    expect(fake.to('GET')).toHaveLength(1);
    expect(held.size).toBe(0);
  });

  it.each([
    ['the token opens no content of the name that load() gives', 403, 'CONTENT_NOT_ENTITLED'],
    ['the content that load() names is not registered', 404, 'CONTENT_NOT_FOUND'],
  ] as const)('play by the contents of the renditions although %s', async (_why, status, code) => {
    fake.answer('POST /keys/leases', ({ json, path }) => {
      if (path === '/keys/leases/revoke')
        return Response.json({ revoked: Number(held.delete(String(json?.leaseId))) });
      if (json?.contentId === 'film') return problem(status, code);
      held.set('lease-9', String(json?.contentId));
      return Response.json({ lease: { id: 'lease-9' }, ttl_seconds: 100, renew_after_seconds: 75 });
    });
    const { hls, player } = await open('film');
    expect(await hls.askForKey(keyUrl(4, low))).toBe(4);
    expect([errors, fake.to('GET')[0]?.leaseId]).toEqual([[], 'lease-9']);
    await player.destroy();
  });

  it('a content that the playlist names and that is not registered fails with CONTENT_NOT_FOUND', async () => {
    fake.answer('POST /keys/leases', () => problem(404, 'CONTENT_NOT_FOUND'));
    await expect(open(low)).rejects.toMatchObject({ code: 'CONTENT_NOT_FOUND' });
  });

  it('playback ends with the first of its leases that is revoked', async () => {
    const { hls } = await open('film');
    await hls.askForKey(keyUrl(1, low));
    held.clear();
    hls.askForKey(keyUrl(2, low));
    await settle();
    expect(errors).toMatchObject([{ code: 'LEASE_REVOKED' }]);
    await fake.clock.advance(200_000);
    expect(fake.to('POST').filter(({ path }) => path === '/keys/leases')).toHaveLength(2);
  });

  it('a page that is left releases all leases of its renditions, and takes them again on its return', async () => {
    const { hls } = await open('film');
    await hls.askForKey(keyUrl(1, low));
    await hls.askForKey(keyUrl(1, sound), 0, 'audio');
    scene.leave('pagehide');
    await settle();
    expect(held.size).toBe(0);
    scene.leave('pageshow', { persisted: true });
    await settle();
    expect([...held.values()].sort()).toEqual([low, sound]);
    expect(await hls.askForKey(keyUrl(2, sound), 0, 'audio')).toBe(2);
  });

  it('Shaka’s filter makes one request without a lease to find out that leases are demanded', async () => {
    limit = 3;
    const filter = shakaRequestFilter(fake.options);
    const contentOfLease = async (contentId: string) => {
      const request = { uris: [keyUrl(0, contentId)], headers: {} as Record<string, string> };
      await filter(6, request);
      const [last] = fake.to(`GET /keys/${contentId}`).slice(-1);
      return held.get(last?.leaseId ?? '');
    };
    const contents = [low, high, sound];
    expect(await Promise.all(contents.map(contentOfLease))).toEqual(contents);
    expect(fake.to('GET').filter(({ leaseId }) => leaseId === null)).toHaveLength(1);
    await filter.release();
    expect(held.size).toBe(0);
  });
});
