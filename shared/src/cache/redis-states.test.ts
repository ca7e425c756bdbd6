import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { findFreePort } from '../../../scripts/find-free-port.ts';
import { makeServerFolder } from '../../../scripts/own-server.ts';
import { findProgram, startOwnRedis } from '../../../scripts/own-services.ts';
import { connectRedis } from './redis-connection.ts';
import { createRedisStates } from './redis-states.ts';

const url = process.env.TEST_REDIS_URL ?? '';
const canStart = findProgram('redis-server') !== undefined;
const waiting = { timeout: 10_000, interval: 10 };
const stamp = { number: 3, at: 300 };
/** The time limit of a look-up, 50 ms, on a machine that does much else. */
const quickMs = 100;

function open(at = url) {
  const faults: unknown[] = [];
  const onFault = (error: unknown) => void faults.push(error);
  const connection = connectRedis(at, onFault);
  onTestFinished(() => connection.close());
  return { connection, states: createRedisStates(connection, onFault), faults };
}

async function openUp(at = url) {
  const opened = open(at);
  await vi.waitFor(() => expect(opened.states.state()).toBe('up'), waiting);
  return opened;
}

/** How long the slowest of some look-ups takes, one after the other; each finds nothing. */
async function slowestMs(states: ReturnType<typeof open>['states'], count: number): Promise<number> {
  let slowest = 0;
  for (let i = 0; i < count; i++) {
    const startMs = performance.now();
    expect(await states.get('lease', 'l')).toBeNull();
    slowest = Math.max(slowest, performance.now() - startMs);
  }
  return slowest;
}

async function makePlace() {
  const folder = makeServerFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { port: await findFreePort(), folder };
}

describe.skipIf(url === '')('states in Redis', () => {
  test('are found by another process with their stamp, kinds apart, until their time is over', async () => {
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
  ])('that are none are reported and not given: %s', async (text) => {
    const key = randomUUID();
    const { states, connection, faults } = await openUp();
    await connection.redis.set(`latchkey:1:lease:${key}`, text, 'PX', 60_000);
    expect(await states.get('lease', key)).toBeNull();
    expect(faults).toHaveLength(1);
  });

  test('of another type than text are not given', async () => {
    const key = randomUUID();
    const { states, connection } = await openUp();
    await connection.redis.lpush(`latchkey:1:lease:${key}`, 'x');
    onTestFinished(async () => {
      const redis = new Redis(url);
      await redis.del(`latchkey:1:lease:${key}`);
      redis.disconnect();
    });
    expect(await states.get('lease', key)).toBeNull();
  });
});

describe.skipIf(url === '' || !canStart)('where Redis', () => {
  test('is not there, nothing is found at once, and it is used when it comes', async () => {
    const place = await makePlace();
    const { states } = open(`redis://127.0.0.1:${place.port}`);
    states.set('lease', 'l', {}, stamp, 60_000);
    expect(await slowestMs(states, 100)).toBeLessThan(quickMs);
    const server = await startOwnRedis(place);
    onTestFinished(() => server.stop());
    await vi.waitFor(() => expect(states.state()).toBe('up'), waiting);
  });

  test('is killed and restarted, look-ups find nothing at once, then work again, and the outage is reported once', async () => {
    const place = await makePlace();
    const first = await startOwnRedis(place);
    const { states, faults } = await openUp(first.url);
    process.kill(first.pid, 'SIGKILL');
    expect(await slowestMs(states, 100)).toBeLessThan(quickMs);
    await vi.waitFor(() => expect(faults).toHaveLength(1), waiting);
    await first.stop();
    const second = await startOwnRedis(place);
    onTestFinished(() => second.stop());
    await vi.waitFor(() => expect(states.state()).toBe('up'), waiting);
    states.set('lease', 'l', 'again', stamp, 60_000);
    await vi.waitFor(async () => expect((await states.get('lease', 'l'))?.value).toBe('again'), waiting);
    expect(faults).toHaveLength(1);
  });

  test('is paused, a few look-ups wait for their time limit, the rest for nothing, and it is used when it goes on', async () => {
    const server = await startOwnRedis();
    onTestFinished(() => server.stop());
    const { states, faults } = await openUp(server.url);
    process.kill(server.pid, 'SIGSTOP');
    const startMs = performance.now();
    expect(await slowestMs(states, 1_000)).toBeLessThan(quickMs);
    // Three at 50 ms each.
    expect(performance.now() - startMs).toBeLessThan(1_000);
    expect(states.state()).toBe('down');
    expect(faults).toHaveLength(1);
    process.kill(server.pid, 'SIGCONT');
    await vi.waitFor(() => expect(states.state()).toBe('up'), waiting);
    states.set('lease', 'l', 'again', stamp, 60_000);
    await vi.waitFor(async () => expect((await states.get('lease', 'l'))?.value).toBe('again'), waiting);
  });

  test('is paused for longer than the connection bears, a new one is made', async () => {
    const server = await startOwnRedis();
    onTestFinished(() => server.stop());
    const { states, connection } = await openUp(server.url);
    process.kill(server.pid, 'SIGSTOP');
    await new Promise((resolve) => connection.redis.once('close', resolve));
    process.kill(server.pid, 'SIGCONT');
    await vi.waitFor(() => expect(states.state()).toBe('up'), waiting);
  });
});
