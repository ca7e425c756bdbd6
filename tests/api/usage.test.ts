import { join } from 'node:path';
import {
  createApiKey,
  createLease,
  makeScene,
  registerContent,
} from '@latchkey/support/black-box/server-actions';
import { makeFolder } from '@latchkey/support/black-box/server-process';
import {
  areContainers,
  isSingleNode,
  makeApiKey,
  startServer,
  startSingleNodeToClose,
  type Target,
} from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { viewerToken } from '@latchkey/support/tokens';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

/** Each process reports a minute within 5 s after its end. */
const patience = { timeout: 100_000, interval: 500 };
/** The clock of a single node starts 15 s before the end of a minute. A database has a clock of its own. */
const aheadMs = isSingleNode ? (105_000 - (Date.now() % 60_000)) % 60_000 : 0;
const shift = `--import=${import.meta.resolve('@latchkey/support/shift-clock')}?by=${aheadMs}`;
// Its own, because every request is counted.
const server = await startServer({
  GRAFANA_URL: 'https://grafana.example/d/latchkey?var-instance=all',
  ...(aheadMs > 0 && { NODE_OPTIONS: shift }),
});

interface Counts {
  served: number;
  refused: number;
  points: { at: string; served: number; refused: number }[];
}
interface Usage extends Record<'totals' | 'other', Counts> {
  series: ({ id: string } & Counts)[];
  from: string;
  to: string;
  stepSeconds: number;
  completeUntil: string;
  unavailable: string | null;
  grafanaUrl: string | null;
}

async function readUsage({ client, adminApiKey }: Target, query = ''): Promise<Usage> {
  const { status, json } = await client.get(`/api/v1/usage${query}`, adminApiKey);
  expect(status).toBe(200);
  return json.usage;
}

const sumOf = ({ served, refused }: Pick<Counts, 'served' | 'refused'>) => ({ served, refused });
const byId = ({ series }: Usage) =>
  Object.fromEntries(series.map(({ id, ...counts }) => [id, sumOf(counts)]));

/** Sends them ten at a time, as players do. @returns how many got each status */
async function askMany(target: Target, contentId: string, credential: string | undefined, count: number) {
  const statuses: number[] = [];
  for (let sent = 0; sent < count; sent += 10) {
    const answers = Array.from({ length: Math.min(10, count - sent) }, () =>
      target.client.call('GET', `/keys/${contentId}`, { as: credential, isOneOfMany: true }),
    );
    statuses.push(...(await Promise.all(answers)).map(({ status }) => status));
  }
  return Object.fromEntries([...Map.groupBy(statuses, String)].map(([status, all]) => [status, all.length]));
}

/** 600 key requests, of which 60 are refused. */
async function makeLoad(target: Target) {
  const [first, second] = [await registerContent(target), await registerContent(target)];
  const [ada, bob] = [unique('ada'), unique('bob')];
  const key = await createApiKey(target, 'playback');
  const tokenOf = (viewerId: string, claims = {}) => viewerToken(target.jwtSecret, viewerId, claims);
  const sent = [
    await askMany(target, first, tokenOf(ada), 300),
    await askMany(target, second, tokenOf(bob), 200),
    await askMany(target, first, key.raw, 40),
    await askMany(target, second, tokenOf(ada, { content_ids: [first] }), 30),
    await askMany(target, first, undefined, 20),
    await askMany(target, unique('unregistered'), tokenOf(bob), 10),
  ];
  expect(sent).toEqual([{ 200: 300 }, { 200: 200 }, { 200: 40 }, { 403: 30 }, { 401: 20 }, { 404: 10 }]);
  return { first, second, ada, bob, key: key.id };
}

type Load = Awaited<ReturnType<typeof makeLoad>>;

async function expectLoad(target: Target, { first, second, ada, bob, key }: Load): Promise<void> {
  const codes = await readUsage(target);
  expect(sumOf(codes.totals)).toEqual({ served: 540, refused: 60 });
  expect(byId(codes)).toEqual({
    CONTENT_NOT_ENTITLED: { served: 0, refused: 30 },
    UNAUTHENTICATED: { served: 0, refused: 20 },
    CONTENT_NOT_FOUND: { served: 0, refused: 10 },
  });
  const contents = await readUsage(target, '?by=content&limit=2');
  expect(byId(contents)).toEqual({
    [first]: { served: 340, refused: 20 },
    [second]: { served: 200, refused: 30 },
  });
  expect(sumOf(contents.other)).toEqual({ served: 0, refused: 10 });
  expect(byId(await readUsage(target, '?by=viewer'))).toEqual({
    [ada]: { served: 300, refused: 30 },
    [bob]: { served: 200, refused: 10 },
  });
  expect(byId(await readUsage(target, '?by=api-key'))).toEqual({ [key]: { served: 40, refused: 0 } });
  const one = await readUsage(target, `?by=viewer&id=${bob}`);
  expect([byId(one), sumOf(one.other)]).toEqual([
    { [bob]: { served: 200, refused: 10 } },
    { served: 300, refused: 30 },
  ]);
}

/** Requests for leases, of which one is refused. One that met 503 and was sent again is counted twice, so then all are made anew. */
async function makeLeaseLoad(target: Target) {
  for (;;) {
    const scene = await makeScene(target);
    const application = await createApiKey(target, 'full');
    const before = target.client.answered.length;
    await createLease(target, scene);
    await createLease(target, { ...scene, token: application.raw }, { viewerId: scene.viewerId });
    const wanted = { contentId: unique('unregistered') };
    expect((await target.client.post('/keys/leases', scene.token, wanted)).status).toBe(404);
    if (target.client.answered.length === before + 3) return { ...scene, application };
  }
}

describe('usage', async () => {
  // Both before the first test, which waits for the end of their minute.
  const load = await makeLoad(server);
  const { viewerId, contentId, application } = await makeLeaseLoad(server);

  it('600 key requests with a tenth refused are counted exactly, by code, content, viewer and API key', async () => {
    await vi.waitFor(() => expectLoad(server, load), patience);
    const { points } = (await readUsage(server)).totals;
    expect(points.map(({ at }) => new Date(at).getUTCSeconds())).toEqual(points.map(() => 0));
    expect(points.reduce((sum, { served, refused }) => sum + served + refused, 0)).toBe(600);
  });

  it('requests for leases are counted apart from those for keys, by the viewer and content that they name', async () => {
    await vi.waitFor(async () => {
      const of = async (by: string, id: string) =>
        byId(await readUsage(server, `?requests=leases&by=${by}&id=${id}`))[id];
      expect(await of('viewer', viewerId)).toEqual({ served: 2, refused: 1 });
      expect(await of('content', contentId)).toEqual({ served: 2, refused: 0 });
      expect(await of('api-key', application.id)).toEqual({ served: 1, refused: 0 });
    }, patience);
    expect(byId(await readUsage(server, `?by=viewer&id=${viewerId}`))).toEqual({
      [viewerId]: { served: 0, refused: 0 },
    });
  });

  it('refusals of keys and leases together are counted by code and viewer, those with the most first', async () => {
    await vi.waitFor(async () => {
      const codes = await readUsage(server, '?requests=all&sort=refused');
      expect(codes.totals.refused).toBe(61);
      expect(codes.series.map(({ id, refused }) => [id, refused])).toEqual([
        ['CONTENT_NOT_ENTITLED', 30],
        ['UNAUTHENTICATED', 20],
        ['CONTENT_NOT_FOUND', 11],
      ]);
      const viewers = await readUsage(server, '?requests=all&sort=refused&by=viewer&limit=2');
      expect(viewers.series.map(({ id, refused }) => [id, refused])).toEqual([
        [load.ada, 30],
        [load.bob, 10],
      ]);
      // Of the third viewer, whose other requests were served.
      expect(viewers.other.refused).toBe(1);
    }, patience);
  });

  it('viewers are listed by what they were served and refused within the last hour, also without a lease', async () => {
    const viewersBy = async (sort: string) =>
      (await server.client.get(`/api/v1/viewers?sort=${sort}`, server.adminApiKey)).json.viewers;
    await vi.waitFor(async () => {
      const counts = (await viewersBy('-refused')).map((viewer: { viewerId: string; lastHour: object }) => [
        viewer.viewerId,
        viewer.lastHour,
      ]);
      expect(counts).toEqual([
        [load.ada, { served: 300, refused: 30 }],
        [load.bob, { served: 200, refused: 10 }],
        [viewerId, { served: 0, refused: 1 }],
      ]);
    }, patience);
    expect(await viewersBy('-served')).toMatchObject([
      { viewerId: load.ada, activeLeases: 0, lastSeenAt: null },
      { viewerId: load.bob },
    ]);
  });

  it('the server chooses the step by the range, and says until when the counts are complete', async () => {
    const now = Date.now();
    const from = (ms: number) =>
      `?from=${new Date(now - ms).toISOString()}&to=${new Date(now).toISOString()}`;
    const hour = 3_600_000;
    const steps = [];
    for (const hours of [0.25, 6, 7, 48, 49, 15 * 24, 30 * 24]) {
      const { stepSeconds, from: start, to } = await readUsage(server, from(hours * hour));
      expect([Date.parse(start) % (stepSeconds * 1_000), Date.parse(to) % (stepSeconds * 1_000)]).toEqual([
        0, 0,
      ]);
      steps.push(stepSeconds);
    }
    expect(steps).toEqual([60, 60, 600, 600, 3_600, 3_600, 7_200]);
    const { completeUntil, grafanaUrl, unavailable } = await readUsage(server);
    expect(Date.parse(completeUntil)).toBeLessThan(Date.now() + aheadMs);
    expect(grafanaUrl).toBe('https://grafana.example/d/latchkey?var-instance=all');
    expect(unavailable).toBeNull();
  });

  it.each([
    ['a range of less than 15 minutes', 'from=2027-01-31T12:00:00Z&to=2027-01-31T12:14:59Z'],
    ['a range of more than 30 days', 'from=2027-01-01T00:00:00Z&to=2027-01-31T00:00:01Z'],
    ['a range that ends before it begins', 'from=2027-01-31T12:00:00Z&to=2027-01-31T11:00:00Z'],
    ['a time without an offset', 'from=2027-01-31T12:00:00'],
    ['a kind that is not counted', 'by=address'],
    ['a sort of request that is not counted', 'requests=uploads'],
    ['an order that does not exist', 'sort=served'],
    ['a limit of 0', 'limit=0'],
    ['a limit of 21', 'limit=21'],
    ['an empty id', 'id='],
    ['an id with a NUL', 'id=%00'],
    ['an unknown parameter', 'step=60'],
  ])('usage of %s is refused with 400', async (_, query) => {
    const { status, code } = await server.client.get(`/api/v1/usage?${query}`, server.adminApiKey);
    expect([status, code]).toEqual([400, 'VALIDATION_FAILED']);
  });
});

describe.skipIf(areContainers)('usage of a single node', () => {
  it('usage is kept over a restart, with the minute that was under way', async () => {
    const folder = makeFolder();
    onTestFinished(() => folder.remove());
    const env = {
      SQLITE_PATH: join(folder.path, 'latchkey.db'),
      ADMIN_API_KEY: makeApiKey(),
      AUTH_JWT_SECRET: makeApiKey(),
    };
    const first = await startSingleNodeToClose(env);
    const load = await makeLoad(first);
    await first.close();
    const second = await startSingleNodeToClose(env);
    onTestFinished(() => second.close());
    await expectLoad(second, load);
  });

  it('USAGE_KEEP_DAYS=0 keeps nothing, and says so', async () => {
    const folder = makeFolder();
    onTestFinished(() => folder.remove());
    const env = { SQLITE_PATH: join(folder.path, 'latchkey.db'), USAGE_KEEP_DAYS: '0' };
    const first = await startSingleNodeToClose(env);
    await askMany(first, unique('content'), undefined, 10);
    await first.close();
    const second = await startSingleNodeToClose(env);
    onTestFinished(() => second.close());
    const { unavailable, totals } = await readUsage(second);
    expect([unavailable, totals]).toEqual(['off', { served: 0, refused: 0, points: [] }]);
  });
});
