import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { findFreePort } from '@latchkey/support/find-free-port';
import { findProgram, startOwnRedis } from '@latchkey/support/stores/own-stores';
import { makeServerFolder } from '@latchkey/support/stores/server-program';
import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createSeal } from '../seal/seal.ts';
import { patientLimits, startRedis } from './redis.fixture.ts';
import { connectRedis, usualLimits } from './redis-connection.ts';
import { createRedisStateStore } from './state-store.ts';

const url = process.env.TEST_REDIS_URL ?? '';
const canStart = findProgram('redis-server') !== undefined;
const waiting = { timeout: 30_000, interval: 10 };
const stamp = { number: 3, at: 300 };
const seal = createSeal(['the secret of this installation']);
vi.setConfig({ testTimeout: 120_000 });

function open(at: string, limits: typeof usualLimits) {
  const faults: unknown[] = [];
  const onFault = (error: unknown) => void faults.push(error);
  const connection = connectRedis(at, onFault, limits);
  onTestFinished(() => connection.close());
  return { connection, states: createRedisStateStore(connection, seal, onFault), faults };
}

async function openUp(at = url, limits = patientLimits) {
  const opened = open(at, limits);
  await vi.waitFor(() => expect(opened.states.state()).toBe('up'), waiting);
  return opened;
}

/** How many of some look-ups, one after the other, ask Redis and so wait for it; each finds nothing. */
async function askedOf(count: number, { states, connection }: ReturnType<typeof open>): Promise<number> {
  const get = vi.spyOn(connection.redis, 'getrange');
  for (let i = 0; i < count; i++) expect(await states.get('lease', 'l')).toBeNull();
  return get.mock.calls.length;
}

/** Resolves once what is stored is found. What is stored while Redis is not worth asking is dropped, so it is stored anew. */
async function expectInUse({ states }: ReturnType<typeof open>): Promise<void> {
  await vi.waitFor(async () => {
    states.set('lease', 'l', 'again', stamp, 60_000);
    expect((await states.get('lease', 'l'))?.value).toBe('again');
  }, waiting);
}

async function makePlace() {
  const folder = makeServerFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { port: await findFreePort(), folder };
}

describe.skipIf(url === '')('states in Redis', () => {
  test('another process finds a shared state with its stamp, separate for each kind, until its time is over', async () => {
    const key = randomUUID();
    const [writer, reader] = [await openUp(), await openUp()];
    writer.states.set('lease', key, { a: 1 }, stamp, 60_000);
    writer.states.set('mark', key, null, stamp, 60_000);
    await vi.waitFor(async () => {
      expect(await reader.states.get('lease', key)).toEqual({ value: { a: 1 }, stamp });
      expect(await reader.states.get('mark', key)).toEqual({ value: null, stamp });
    }, waiting);
    writer.states.set('lease', key, { a: 2 }, stamp, 1);
    await vi.waitFor(async () => expect(await reader.states.get('lease', key)).toBeNull(), waiting);
  });

  test.each([
    '{',
    'null',
    '7',
    '{"value":1,"number":1}',
    '{"value":1,"number":-1,"at":1}',
    '{"number":1,"at":1}',
  ])('malformed entries in Redis are reported and not used: %s', async (text) => {
    const key = randomUUID();
    const { states, connection, faults } = await openUp();
    await connection.redis.set(`latchkey:2:lease:${key}`, seal.of(`lease:${key}`, text) + text, 'PX', 60_000);
    expect(await states.get('lease', key)).toBeNull();
    expect(faults).toHaveLength(1);
  });

  test('an entry that was written without the secret of the installation is reported and ignored, also with a copied seal', async () => {
    const { states, connection, faults } = await openUp();
    const key = randomUUID();
    const place = `latchkey:2:lease:${key}`;
    const text = JSON.stringify({ value: { a: 1 }, ...stamp });
    const forged = [
      text,
      'A'.repeat(43) + text,
      createSeal(['another secret']).of(`lease:${key}`, text) + text,
    ];
    const other = randomUUID();
    states.set('lease', other, { a: 1 }, stamp, 60_000);
    const copied = await vi.waitFor(async () => {
      const found = await connection.redis.get(`latchkey:2:lease:${other}`);
      if (found === null) throw new Error('not there yet');
      return found;
    }, waiting);
    for (const entry of [...forged, copied, copied.replace('"a":1', '"a":2')]) {
      await connection.redis.set(place, entry, 'PX', 60_000);
      expect(await states.get('lease', key)).toBeNull();
    }
    expect(faults).toHaveLength(5);
  });

  test('of an entry of 20 MB in Redis only 4 KiB are read, and it is ignored', async () => {
    const { states, connection, faults } = await openUp();
    const key = randomUUID();
    await connection.redis.set(`latchkey:2:lease:${key}`, 'x'.repeat(20_000_000), 'PX', 60_000);
    const read = vi.spyOn(connection.redis, 'getrange');
    expect(await states.get('lease', key)).toBeNull();
    expect(faults).toHaveLength(1);
    expect((await read.mock.results[0]?.value)?.length).toBe(4_096);
  });

  test('an entry in Redis of another type than text is ignored', async () => {
    const key = randomUUID();
    const { states, connection } = await openUp();
    await connection.redis.lpush(`latchkey:2:lease:${key}`, 'x');
    onTestFinished(async () => {
      const redis = new Redis(url);
      await redis.del(`latchkey:2:lease:${key}`);
      redis.disconnect();
    });
    expect(await states.get('lease', key)).toBeNull();
  });
});

describe.skipIf(url === '' || !canStart)('where Redis', () => {
  test('without Redis look-ups find nothing at once, and Redis is used as soon as it comes', async () => {
    const place = await makePlace();
    const opened = open(`redis://127.0.0.1:${place.port}`, patientLimits);
    opened.states.set('lease', 'l', {}, stamp, 60_000);
    expect(await askedOf(100, opened)).toBe(0);
    await startRedis(place);
    await expectInUse(opened);
  });

  test('while Redis is down look-ups find nothing at once, then work again, and the outage is reported once', async () => {
    const place = await makePlace();
    const first = await startOwnRedis(place);
    const opened = await openUp(first.url);
    process.kill(first.pid, 'SIGKILL');
    await first.stop();
    // The requests before it was noticed.
    expect(await askedOf(100, opened)).toBeLessThanOrEqual(3);
    await vi.waitFor(() => expect(opened.faults).toHaveLength(1), waiting);
    await startRedis(place);
    await expectInUse(opened);
    expect(opened.faults).toHaveLength(1);
  });

  test('while Redis is paused a few look-ups wait for their time limit, the others do not wait, and later it is used again', async () => {
    const server = await startRedis();
    const opened = await openUp(server.url, usualLimits);
    process.kill(server.pid, 'SIGSTOP');
    // On a machine that pauses for 50 ms, one command may have timed out before.
    opened.faults.length = 0;
    expect(await askedOf(1_000, opened)).toBeLessThanOrEqual(3);
    expect(opened.states.state()).toBe('down');
    expect(opened.faults).toHaveLength(1);
    process.kill(server.pid, 'SIGCONT');
    await expectInUse(opened);
  });

  test('a connection to a Redis that stays paused is replaced', async () => {
    const server = await startRedis();
    const { states, connection } = await openUp(server.url, { ...usualLimits, socketTimeoutMs: 300 });
    process.kill(server.pid, 'SIGSTOP');
    await new Promise((resolve) => connection.redis.once('close', resolve));
    process.kill(server.pid, 'SIGCONT');
    await vi.waitFor(() => expect(states.state()).toBe('up'), waiting);
  });
});
