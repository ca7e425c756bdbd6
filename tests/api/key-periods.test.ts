import { eventually } from '@latchkey/support/black-box/eventually';
import { createApiKey } from '@latchkey/support/black-box/server-actions';
import { openTarget } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { viewerToken } from '@latchkey/support/tokens';
import { describe, expect, it } from 'vitest';

const target = await openTarget();
const { client, adminApiKey: admin, jwtSecret } = target;

const dayMs = 86_400_000;
const daySeconds = 86_400;
const later = (ms: number) => new Date(Date.now() + ms).toISOString();
/** No key comes back while a test runs. */
const film = { mode: 'sequence', count: 10_000, periodSeconds: daySeconds, burst: 12 };
/**
 * Several replicas share their pace in Redis. One that gets no answer in time decides by its own bucket, which happens on a
 * busy machine: `docs/reference/contract.md#key-periods`. The tests of the pace itself count without that.
 */
const mostReplicas = 3;
const areReplicas = target.propagationMs > 0;
const promised = areReplicas ? mostReplicas * film.burst : film.burst;

function expectBurst(served: number): void {
  expect(served).toBeGreaterThanOrEqual(film.burst);
  expect(served).toBeLessThanOrEqual(promised);
}

async function register(keyPeriods: unknown, id = unique('content')): Promise<string> {
  const { status, json } = await client.post('/api/v1/content', admin, { id, name: id, keyPeriods });
  expect([status, json]).toEqual([201, expect.anything()]);
  return id;
}

/** Sends a key request for each epoch, some at a time. @returns which were served, and the other answers by code */
async function sweep(
  contentId: string,
  epochs: readonly number[],
  connections: number,
  headersOf: (epoch: number) => Record<string, string>,
) {
  const served: number[] = [];
  const codes: Record<string, number> = {};
  const left = [...epochs];
  const work = async () => {
    for (let epoch = left.shift(); epoch !== undefined; epoch = left.shift()) {
      const options = { headers: headersOf(epoch), isOneOfMany: true };
      const { status, code = '' } = await client.call('GET', `/keys/${contentId}/${epoch}`, options);
      // A busy machine may keep a replica from deciding. The request is sent again.
      if (status === 503) left.unshift(epoch);
      else if (status === 200) served.push(epoch);
      else codes[code] = (codes[code] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
  return { served, codes };
}

const withToken = (token: string) => () => ({ authorization: `Bearer ${token}` });

const range = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index);

describe('key periods of a content', () => {
  it('a content is registered without key periods, and may get, change and lose them', async () => {
    const id = unique('content');
    const created = await client.post('/api/v1/content', admin, { id, name: id });
    expect(created.json.content.keyPeriods).toBeNull();
    const change = async (keyPeriods: unknown) => {
      const body = { as: admin, json: { keyPeriods } };
      const { status, json } = await client.call('PATCH', `/api/v1/content/${id}`, body);
      expect(status).toBe(200);
      return json.content.keyPeriods;
    };
    const origin = '2027-01-01T01:00:00+01:00';
    expect(await change({ mode: 'clock', origin, periodSeconds: 10 })).toEqual({
      mode: 'clock',
      origin: '2027-01-01T00:00:00.000Z',
      periodSeconds: 10,
      ahead: 1,
      behind: null,
    });
    const all = {
      mode: 'clock',
      origin: '2027-01-01T00:00:00.000Z',
      periodSeconds: 86_400,
      ahead: 10,
      behind: 0,
    };
    expect(await change(all)).toEqual(all);
    expect(await change({ mode: 'sequence', count: 4_294_967_296, periodSeconds: 4.5 })).toEqual({
      mode: 'sequence',
      count: 4_294_967_296,
      periodSeconds: 4.5,
      burst: 27,
      speed: 2,
      pace: true,
    });
    expect(await change({ mode: 'sequence', count: 1, periodSeconds: 60 })).toMatchObject({ burst: 8 });
    expect((await client.get(`/api/v1/content/${id}`, admin)).json.content.keyPeriods).toMatchObject({
      burst: 8,
    });
    const { json } = await client.post('/api/v1/content', admin, { id, name: 'Again' });
    expect(json.content.keyPeriods).toMatchObject({ count: 1 });
    expect(await change(null)).toBeNull();
  });

  it.each([
    ['', 'clock'],
    ['/mode', { mode: 'other' }],
    ['/origin', { mode: 'clock', periodSeconds: 10 }],
    ['/origin', { mode: 'clock', origin: 'yesterday', periodSeconds: 10 }],
    ['/origin', { mode: 'clock', origin: 1, periodSeconds: 10 }],
    ['/periodSeconds', { mode: 'clock', origin: later(0) }],
    ['/periodSeconds', { mode: 'clock', origin: later(0), periodSeconds: 0 }],
    ['/periodSeconds', { mode: 'clock', origin: later(0), periodSeconds: 86_401 }],
    ['/periodSeconds', { mode: 'clock', origin: later(0), periodSeconds: '10' }],
    ['/ahead', { mode: 'clock', origin: later(0), periodSeconds: 10, ahead: 11 }],
    ['/behind', { mode: 'clock', origin: later(0), periodSeconds: 10, behind: -1 }],
    ['/burst', { mode: 'clock', origin: later(0), periodSeconds: 10, burst: 8 }],
    ['/count', { mode: 'sequence', periodSeconds: 10 }],
    ['/count', { mode: 'sequence', count: 0, periodSeconds: 10 }],
    ['/count', { mode: 'sequence', count: 4_294_967_297, periodSeconds: 10 }],
    ['/periodSeconds', { mode: 'sequence', count: 1, periodSeconds: 0 }],
    ['/burst', { mode: 'sequence', count: 1, periodSeconds: 1, burst: 1_001 }],
    ['/speed', { mode: 'sequence', count: 1, periodSeconds: 1, speed: 0 }],
    ['/speed', { mode: 'sequence', count: 1, periodSeconds: 1, speed: 101 }],
    ['/pace', { mode: 'sequence', count: 1, periodSeconds: 1, pace: null }],
    ['/ahead', { mode: 'sequence', count: 1, periodSeconds: 1, ahead: 1 }],
  ])('key periods with a fault get 400, which names keyPeriods%s: %o', async (path, keyPeriods) => {
    const { status, json } = await client.post('/api/v1/content', admin, { name: 'x', keyPeriods });
    expect([status, json.code]).toEqual([400, 'VALIDATION_FAILED']);
    expect(json.errors.map((error: { path: string }) => error.path)).toContain(`/keyPeriods${path}`);
  });
});

describe('live', () => {
  it('of a content by the clock, the current epoch and those ahead are served, to viewers and API keys alike', async () => {
    // In the middle of epoch 5.
    const origin = new Date(Date.now() - 5.5 * dayMs);
    const contentId = await register({
      mode: 'clock',
      origin,
      periodSeconds: daySeconds,
      ahead: 2,
      behind: 3,
    });
    const viewer = viewerToken(jwtSecret, unique('viewer'));
    const { raw } = await createApiKey(target, 'playback');
    for (const as of [viewer, raw]) {
      const codes = await Promise.all(
        range(0, 10).map(async (epoch) => {
          const { status, json } = await client.get(`/keys/${contentId}/${epoch}`, as);
          return status === 200 ? 'served' : `${status} ${json.code}`;
        }),
      );
      const [past, served, notYet] = ['403 EPOCH_PAST', 'served', '403 EPOCH_NOT_YET'];
      expect(codes).toEqual([
        ...[past, past, served, served, served, served, served, served, notYet, notYet],
      ]);
    }
    const { json, headers } = await client.get(`/keys/${contentId}/9`, viewer);
    const opensAt = new Date(origin.getTime() + 7 * dayMs);
    expect(json).toMatchObject({ currentEpoch: 5, opensAt: opensAt.toISOString() });
    const waitSeconds = Number(headers['retry-after']);
    expect(Math.abs(waitSeconds - (opensAt.getTime() - Date.now()) / 1_000)).toBeLessThan(30);
    const whole = await client.get(`/keys/${contentId}`, viewer);
    expect([whole.status, whole.json.code]).toEqual([404, 'EPOCH_NOT_FOUND']);
  });

  it('before its origin, a content by the clock has no epoch yet', async () => {
    const origin = later(2 * dayMs);
    const contentId = await register({ mode: 'clock', origin, periodSeconds: daySeconds, ahead: 0 });
    const { status, json } = await client.get(
      `/keys/${contentId}/0`,
      viewerToken(jwtSecret, unique('viewer')),
    );
    expect([status, json.code, json.opensAt]).toEqual([403, 'EPOCH_NOT_YET', origin]);
    expect(json.currentEpoch).toBeLessThan(0);
  });

  it('a viewer who is revoked in the middle of a live content gets none of 1,000 epochs', async () => {
    const contentId = await register({
      mode: 'clock',
      origin: later(-500 * dayMs),
      periodSeconds: daySeconds,
    });
    const viewerId = unique('viewer');
    const token = viewerToken(jwtSecret, viewerId);
    expect((await client.get(`/keys/${contentId}/500`, token)).status).toBe(200);
    await client.post('/keys/leases/revoke', admin, { viewerId });
    await eventually(async () =>
      expect((await client.get(`/keys/${contentId}/500`, token)).status).toBe(403),
    );
    await new Promise((resolve) => setTimeout(resolve, target.propagationMs));
    const { served, codes } = await sweep(contentId, range(0, 1_000), 16, withToken(token));
    expect(served).toEqual([]);
    expect(codes).toEqual({ TOKEN_REVOKED: 1_000 });
  });
});

describe('on demand', () => {
  it('one token that asks for 1,000 epochs over 64 connections gets the keys of one burst, and no more', async () => {
    const contentId = await register(film);
    const viewerId = unique('viewer');
    const token = viewerToken(jwtSecret, viewerId);
    const ask = (epoch: number) => client.get(`/keys/${contentId}/${epoch}`, token);
    const { served, codes } = await sweep(contentId, range(0, 1_000), 64, withToken(token));
    expectBurst(served.length);
    expect(codes).toEqual({ KEY_PACE_EXCEEDED: 1_000 - served.length });
    // It gets again the keys that it has: of one that a replica gave alone, the others do not know.
    const again = areReplicas ? eventually : (assertion: () => Promise<void>) => assertion();
    for (const epoch of served) await again(async () => expect((await ask(epoch)).status).toBe(200));
    const { status, headers } = await ask(5_000);
    expect(status).toBe(429);
    // Two keys in each period.
    expect(Number(headers['retry-after'])).toBeGreaterThan(daySeconds / 2 - 60);
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(daySeconds / 2);
    // Whichever process is asked why, and whichever counted the keys.
    const question = { viewerId, contentId, epoch: 5_000 };
    const explain = () => client.post('/api/v1/key-decisions', admin, question);
    const explained = await Promise.all(range(0, 9).map(explain));
    expect(new Set(explained.map(({ json }) => json.code))).toEqual(new Set(['KEY_PACE_EXCEEDED']));
  });

  it('all replicas share one burst of a viewer while Redis answers', async () => {
    const contentId = await register(film);
    // Replicas that shared nothing would give each viewer several bursts. A slow Redis does so to some.
    await eventually(async () => {
      const token = viewerToken(jwtSecret, unique('viewer'));
      const { served } = await sweep(contentId, range(0, 80), 4, withToken(token));
      expect(served).toHaveLength(film.burst);
    });
  });

  it('the pace does not hold for API keys, for other viewers, for another content, or for a content without a pace', async () => {
    const [contentId, other, unpaced] = [
      await register(film),
      await register(film),
      await register({ ...film, pace: false }),
    ];
    const { raw } = await createApiKey(target, 'playback');
    const [eve, bob] = [viewerToken(jwtSecret, unique('eve')), viewerToken(jwtSecret, unique('bob'))];
    const countServed = async (id: string, as: string) =>
      (await sweep(id, range(0, 40), 8, withToken(as))).served.length;
    expectBurst(await countServed(contentId, eve));
    expectBurst(await countServed(contentId, bob));
    expectBurst(await countServed(other, eve));
    expect(await countServed(contentId, raw)).toBe(40);
    expect(await countServed(unpaced, eve)).toBe(40);
  });

  it('an epoch beyond the count, and a request without an epoch, get 404 and cost nothing', async () => {
    const contentId = await register({ ...film, count: 13, burst: 2 });
    const token = viewerToken(jwtSecret, unique('viewer'));
    const codeOf = async (path: string) => (await client.get(path, token)).json?.code;
    for (let times = 0; times < 5; times++) {
      expect(await codeOf(`/keys/${contentId}/13`)).toBe('EPOCH_NOT_FOUND');
      expect(await codeOf(`/keys/${contentId}`)).toBe('EPOCH_NOT_FOUND');
    }
    const { served } = await sweep(contentId, range(0, 13), 1, withToken(token));
    expect(served.slice(0, 2)).toEqual([0, 1]);
    expect(served.length).toBeLessThanOrEqual((2 * promised) / film.burst);
  });
});
