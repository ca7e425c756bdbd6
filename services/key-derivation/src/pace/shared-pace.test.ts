import { markKey } from '@latchkey/shared/authority';
import { createSystemClock } from '@latchkey/shared/clock';
import type { SequencePeriods } from '@latchkey/shared/contracts';
import { connectRedis } from '@latchkey/shared/replicas';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createLocalPace } from './local-pace.ts';
import { createSharedPace } from './shared-pace.ts';

const url = process.env.TEST_REDIS_URL ?? '';
const mib = 1_024 * 1_024;
/** So long that no key comes back while a test runs. */
const periods: SequencePeriods = {
  mode: 'sequence',
  count: 100_000,
  periodSeconds: 86_400,
  burst: 12,
  speed: 2,
  pace: true,
};

/** Replicas that share one Redis, and viewers that no other test has. */
async function setUp(replicas: number) {
  const viewer = crypto.randomUUID();
  const start = () => {
    const connection = connectRedis(url, () => {});
    onTestFinished(() => connection.close());
    const local = createLocalPace(createSystemClock(), mib);
    return { connection, pace: createSharedPace(connection, local) };
  };
  const first = start();
  const all = [first, ...Array.from({ length: replicas - 1 }, start)];
  await vi.waitFor(() => expect(all.every(({ connection }) => connection.isUp())).toBe(true), 10_000);
  const direct = first.connection.redis;
  const take = async (replica: number, epoch: number, more: Partial<SequencePeriods> = {}) =>
    all[replica]?.pace.take({
      viewerId: viewer,
      contentId: 'film',
      epoch,
      periods: { ...periods, ...more },
    });
  const look = async (replica: number, epoch: number) =>
    all[replica]?.pace.look({ viewerId: viewer, contentId: 'film', epoch, periods });
  const name = `latchkey:2:pace:${markKey(viewer, 'film')}`;
  return { direct, take, look, name };
}

describe.skipIf(url === '')('with Redis', () => {
  test('three replicas give no more than one burst together, however many requests come at once', async () => {
    const { take } = await setUp(3);
    const waits = await Promise.all(Array.from({ length: 3_000 }, (_, index) => take(index % 3, index)));
    expect(waits.filter((wait) => wait === 0)).toHaveLength(12);
    expect(Math.min(...waits.map((wait) => wait || Number.POSITIVE_INFINITY))).toBeGreaterThan(
      86_000_000 / 2,
    );
  });

  test('an epoch that one replica gave costs nothing at another', async () => {
    const { take } = await setUp(2);
    for (let epoch = 0; epoch < 12; epoch++) expect(await take(0, epoch)).toBe(0);
    for (let epoch = 0; epoch < 12; epoch++) expect(await take(1, epoch)).toBe(0);
    expect(await take(1, 12)).toBeGreaterThan(0);
    expect(await take(0, 12)).toBeGreaterThan(0);
  });

  test('a look shows what another replica gave, and takes nothing', async () => {
    const { take, look, direct, name } = await setUp(2);
    expect(await look(1, 0)).toEqual({ level: 12, wasGiven: false });
    expect(await direct.exists(name)).toBe(0);
    for (let epoch = 0; epoch < 12; epoch++) expect(await take(0, epoch)).toBe(0);
    const spent = await look(1, 12);
    expect(spent?.level).toBeLessThan(1);
    expect(spent?.wasGiven).toBe(false);
    expect((await look(1, 11))?.wasGiven).toBe(true);
    await direct.set(name, 'not a bucket');
    expect((await look(1, 12))?.level).toBe(12);
  });

  test('a key comes back with time, and the epochs of four bursts are remembered', async () => {
    const { take } = await setUp(1);
    // A millisecond for each key: by the clock of Redis, which no test can move.
    const quick = { periodSeconds: 0.002, burst: 1 };
    for (let epoch = 0; epoch < 20; epoch++)
      await vi.waitFor(async () => expect(await take(0, epoch, quick)).toBe(0), { interval: 2 });
  });

  test('a bucket is kept in Redis until it is full again, and then removed', async () => {
    const { take, direct, name } = await setUp(1);
    await take(0, 1);
    const ttlMs = await direct.pttl(name);
    expect(ttlMs).toBeGreaterThan(6 * 86_000_000);
    expect(ttlMs).toBeLessThanOrEqual(6 * 86_400_000);
    const long = await setUp(1);
    await long.take(0, 1, { periodSeconds: 1e300 });
    expect(await long.direct.pttl(long.name)).toBeGreaterThan(0);
  });

  test('a Redis that loses its buckets gives no replica a second burst', async () => {
    const { take, direct, name } = await setUp(2);
    for (let epoch = 0; epoch < 12; epoch++) expect(await take(0, epoch)).toBe(0);
    await direct.del(name);
    expect(await take(0, 50)).toBeGreaterThan(0);
    for (let epoch = 0; epoch < 12; epoch++) expect(await take(1, 100 + epoch)).toBe(0);
    expect(await take(1, 200)).toBeGreaterThan(0);
  });

  test('something else under the name of a bucket makes each replica count for itself', async () => {
    const { take, direct, name } = await setUp(1);
    await direct.set(name, 'not a bucket');
    for (let epoch = 0; epoch < 12; epoch++) expect(await take(0, epoch)).toBe(0);
    expect(await take(0, 12)).toBeGreaterThan(0);
  });
});

test('without Redis each replica counts for itself, at once and without an error', async () => {
  const connection = connectRedis('redis://127.0.0.1:1', () => {});
  onTestFinished(() => connection.close());
  const pace = createSharedPace(connection, createLocalPace(createSystemClock(), mib));
  const waits = Array.from({ length: 100 }, (_, epoch) =>
    pace.take({ viewerId: 'ada', contentId: 'film', epoch, periods }),
  );
  expect(waits.slice(0, 12)).toEqual(Array.from({ length: 12 }, () => 0));
  expect(waits.slice(12).every((wait) => typeof wait === 'number' && wait > 0)).toBe(true);
});
