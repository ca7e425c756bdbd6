import { type AddressInfo, createServer, type Socket } from 'node:net';
import { findProgram } from '@latchkey/support/stores/own-stores';
import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { patientLimits, startRedis } from './redis.fixture.ts';
import { connectRedis } from './redis-connection.ts';

const canStart = findProgram('redis-server') !== undefined;
const waiting = { timeout: 60_000, interval: 10 };
vi.setConfig({ testTimeout: 120_000 });

const bulk = (...words: string[]) =>
  `*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`;

/** A sentinel that names a primary, and answers only when the test says so. */
async function startSentinel(primaryPort: number) {
  const subscribers = new Set<Socket>();
  const questions: (() => void)[] = [];
  let isHeld = false;
  function answer(socket: Socket, command: string): void {
    if (/get-master-addr-by-name/i.test(command)) {
      const say = () => void socket.write(bulk('127.0.0.1', String(primaryPort)));
      if (isHeld) questions.push(say);
      else say();
    } else if (/subscribe/i.test(command)) {
      subscribers.add(socket);
      socket.write('*3\r\n$9\r\nsubscribe\r\n$14\r\n+switch-master\r\n:1\r\n');
    } else if (/\nhello\r/i.test(command)) socket.write('-NOPROTO unsupported protocol version\r\n');
    else socket.write('+OK\r\n');
  }
  const server = createServer((socket) => {
    socket.on('error', () => {}).setEncoding('utf8');
    socket.on('data', (text) => {
      for (const command of String(text).split(/(?=\*\d+\r\n)/)) answer(socket, command);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return {
    url: `redis+sentinel://127.0.0.1:${(server.address() as AddressInfo).port}/mymaster`,
    subscribers,
    questions,
    hold: (held: boolean) => {
      isHeld = held;
      if (!held) for (const say of questions.splice(0)) say();
    },
    announce: () => {
      for (const socket of subscribers) socket.write(bulk('message', '+switch-master', 'mymaster'));
    },
  };
}

describe.skipIf(!canStart)('Redis behind a sentinel', () => {
  test('is connected again where the sentinel tells of a new primary while the connection is being made', async () => {
    const server = await startRedis();
    const other = new Redis(server.url);
    onTestFinished(() => other.disconnect());
    const sentinel = await startSentinel(server.port);
    const connection = connectRedis(sentinel.url, () => {}, patientLimits);
    onTestFinished(() => connection.close());
    await vi.waitFor(
      () => expect([connection.isUp(), sentinel.subscribers.size]).toEqual([true, 1]),
      waiting,
    );

    let ends = 0;
    connection.redis.on('end', () => void ends++);
    sentinel.hold(true);
    await other.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await vi.waitFor(() => expect(sentinel.questions).not.toEqual([]), waiting);
    sentinel.announce();
    // Only once it has read the announcement, which ends its subscription, does it get the answer.
    await vi.waitFor(
      () => expect([...sentinel.subscribers].every((socket) => socket.destroyed)).toBe(true),
      waiting,
    );
    sentinel.hold(false);

    await vi.waitFor(() => expect([connection.isUp(), ends]).toEqual([true, 1]), waiting);
    expect(await connection.attempt((redis) => redis.ping())).toBe('PONG');
  });

  test('is not connected again after it was closed', async () => {
    const server = await startRedis();
    const connection = connectRedis((await startSentinel(server.port)).url, () => {}, patientLimits);
    await vi.waitFor(() => expect(connection.isUp()).toBe(true), waiting);
    const begun = vi.spyOn(connection.redis, 'connect');
    const ended = new Promise((resolve) => void connection.redis.once('end', () => resolve(null)));
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    connection.close();
    await ended;
    vi.runAllTimers();
    expect([begun.mock.calls, connection.redis.status]).toEqual([[], 'end']);
  });
});
