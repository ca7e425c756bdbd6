import {
  createApiKey,
  createLease,
  makeScene,
  revokeLeases,
} from '@latchkey/support/black-box/server-actions';
import { openTarget } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { viewerToken } from '@latchkey/support/tokens';
import { describe, expect, it } from 'vitest';

const target = await openTarget();
const { client, adminApiKey: admin, jwtSecret } = target;

interface Viewer {
  viewerId: string;
  lastSeenAt: string | null;
}
const list = async (query: string, as = admin) => {
  const { status, json } = await client.get(`/api/v1/viewers?${query}`, as);
  expect(status).toBe(200);
  return json as { viewers: Viewer[]; next_cursor: string | null };
};
const find = async (viewerId: string) => (await list(`viewerId=${viewerId}`)).viewers[0];
const block = (viewerId: string, reason: string) =>
  client.call('PUT', `/api/v1/viewers/${viewerId}/block`, { as: admin, json: { reason } });

/** Two viewers with one beginning: the first has three leases on two devices, the second has one without a device. */
async function makeViewers() {
  const { contentId } = await makeScene(target);
  const prefix = unique('watch');
  const [busy, calm] = [`${prefix}-b`, `${prefix}-a`];
  const make = (viewerId: string, fields = {}) =>
    createLease(target, { token: viewerToken(jwtSecret, viewerId), contentId }, fields);
  await make(calm);
  for (const deviceId of ['tv', 'phone', undefined]) await make(busy, deviceId ? { deviceId } : {});
  return { contentId, prefix, busy, calm };
}

describe('the list of viewers', () => {
  it('a viewer has its active leases, its devices and when it was last seen', async () => {
    const { prefix, busy, calm } = await makeViewers();
    const { viewers } = await list(`prefix=${prefix}`);
    expect(viewers).toMatchObject([
      { viewerId: calm, activeLeases: 1, devices: 0, mark: null, block: null },
      { viewerId: busy, activeLeases: 3, devices: 2, mark: null, block: null },
    ]);
    for (const { lastSeenAt } of viewers)
      expect(Date.now() - Date.parse(lastSeenAt ?? '')).toBeLessThan(600_000);
  });

  it.each(['-activeLeases', '-devices', '-lastSeenAt'])(
    'by %s the viewer with the most comes first',
    async (sort) => {
      const { prefix, busy, calm } = await makeViewers();
      const { viewers } = await list(`prefix=${prefix}&sort=${sort}`);
      const ids = viewers.map(({ viewerId }) => viewerId);
      // A viewer without a device has no place among those with the most devices.
      expect(ids).toEqual(sort === '-devices' ? [busy] : [busy, calm]);
    },
  );

  it('the pages of an order have each viewer once, and a cursor of another order gets 400', async () => {
    const { prefix, busy, calm } = await makeViewers();
    const first = await list(`prefix=${prefix}&sort=-activeLeases&limit=1`);
    const query = `prefix=${prefix}&limit=1&cursor=${first.next_cursor}`;
    const second = await list(`${query}&sort=-activeLeases`);
    expect([first, second].map(({ viewers }) => viewers[0]?.viewerId)).toEqual([busy, calm]);
    expect(second.next_cursor).toBeNull();
    for (const sort of ['-devices', '-served']) {
      const { status, code } = await client.get(`/api/v1/viewers?${query}&sort=${sort}`, admin);
      expect([status, code]).toEqual([400, 'VALIDATION_FAILED']);
    }
  });

  it('a revocation ends the active leases, leaves a mark, and makes the viewer the latest that was revoked', async () => {
    const { prefix, busy, calm } = await makeViewers();
    await revokeLeases(target, { viewerId: busy });
    expect((await block(calm, 'shared')).status).toBe(200);
    const { viewers } = await list(`prefix=${prefix}&sort=-revokedAt`);
    expect(viewers).toMatchObject([
      { viewerId: calm, activeLeases: 0, block: { viewerId: calm, until: null, reason: 'shared' } },
      {
        viewerId: busy,
        activeLeases: 0,
        mark: { markedAt: expect.any(String), lapsesAt: expect.any(String) },
        block: null,
      },
    ]);
  });

  it('a viewer that was never seen is shown by its id, with nothing', async () => {
    const viewerId = unique('nobody');
    expect(await find(viewerId)).toEqual({
      ...{ viewerId, activeLeases: 0, devices: 0, lastSeenAt: null, mark: null, block: null, lastHour: null },
    });
    expect((await list(`prefix=${viewerId}`)).viewers).toEqual([]);
  });

  it.each([
    'viewerId=a&prefix=a',
    'viewerId=a&cursor=YQ',
    'viewerId=a&sort=-refused',
    'sort=devices',
    'sort=-viewerId',
    'limit=101',
    'cursor=x',
  ])('%s is refused with 400', async (query) => {
    const { status, code } = await client.get(`/api/v1/viewers?${query}`, admin);
    expect([status, code]).toEqual([400, 'VALIDATION_FAILED']);
  });
});

it('a limited API key lists its viewers by their ids alone, without blocks and usage, which are of the whole server', async () => {
  const { contentId, prefix, busy } = await makeViewers();
  const { contentId: foreign } = await makeScene(target);
  await createLease(
    target,
    { token: viewerToken(jwtSecret, busy), contentId: foreign },
    { deviceId: 'other' },
  );
  const limited = await createApiKey(target, 'full', { contents: [contentId] });
  const { viewers } = await list(`prefix=${prefix}-b`, limited.raw);
  expect(viewers).toEqual([
    { viewerId: busy, activeLeases: 3, devices: 2, lastSeenAt: expect.any(String), mark: null },
  ]);
  const { status, json } = await client.get('/api/v1/viewers?sort=-refused', limited.raw);
  expect(json).toMatchObject({ code: 'INSUFFICIENT_SCOPE', limited: true });
  expect(status).toBe(403);
});
