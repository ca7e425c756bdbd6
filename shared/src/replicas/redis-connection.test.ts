import { type AddressInfo, createServer, type Socket } from 'node:net';
import { findFreePort } from '@latchkey/support/find-free-port';
import { findProgram } from '@latchkey/support/stores/own-stores';
import { Redis, ReplyError } from 'ioredis';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { patientLimits, startRedis } from './redis.fixture.ts';
import { connectRedis, createRedisOutage } from './redis-connection.ts';

const url = process.env.TEST_REDIS_URL ?? '';
const canStart = findProgram('redis-server') !== undefined;
const waiting = { timeout: 30_000, interval: 10 };
vi.setConfig({ testTimeout: 120_000 });

/** Not `once` of node:events, which rejects at each error that ioredis emits. */
const event = (redis: Redis, name: string) => new Promise((resolve) => void redis.once(name, resolve));

async function listen(onConnection: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => onConnection(socket.on('error', () => {}).resume()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `redis://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function connect(at: string) {
  const faults: string[] = [];
  const onFault = (error: unknown) => void faults.push((error as Error).message);
  const connection = connectRedis(at, onFault, patientLimits);
  onTestFinished(() => connection.close());
  /** Resolves when `count` connections were made and given up, or could not be made. */
  const tries = async (count: number) => {
    for (let n = 0; n < count; n++) await event(connection.redis, 'close');
  };
  return { connection, faults, tries };
}

/** A Redis of its own, and a client of it that is not under test. */
async function openRedis() {
  const server = await startRedis();
  const other = new Redis(server.url);
  onTestFinished(() => other.disconnect());
  await event(other, 'ready');
  const at = (user: string, path = '') => `redis://${user}127.0.0.1:${server.port}${path}`;
  return { other, at };
}

test('a Redis that is not there at the start is reported at once, once, with its address', async () => {
  const port = await findFreePort();
  const { connection, faults, tries } = connect(`redis://:geheim@127.0.0.1:${port}`);
  await tries(3);
  expect(faults).toEqual([`connect ECONNREFUSED 127.0.0.1:${port}`]);
  expect(connection.isUp()).toBe(false);
});

test('a Redis that closes the connection at once is reported once', async () => {
  const { faults, tries } = connect(await listen((socket) => void socket.once('data', () => socket.end())));
  await tries(3);
  expect(faults).toEqual(['the connection was closed before it could be used']);
});

test('a connection that is closed while it is being made reports nothing', async () => {
  const { connection, faults } = connect(await listen(() => {}));
  await event(connection.redis, 'connect');
  connection.close();
  await event(connection.redis, 'end');
  expect(faults).toEqual([]);
});

test('the URL of a cluster is refused with a message that names the accepted servers', () => {
  expect(() => connect('redis+cluster://n1:6379,n2:6379')).toThrow(
    'the URL of Redis leads to a Redis Cluster, which is not supported: name one Redis, or Sentinels',
  );
});

test('a node of a cluster is not used although it answers a ping, and is reported once with a message that names the accepted servers', async () => {
  const answerTo = (command: string) =>
    /getrange/i.test(command)
      ? '-MOVED 1 127.0.0.1:1\r\n'
      : /\nhello/i.test(command)
        ? '-NOPROTO unsupported protocol version\r\n'
        : '+PONG\r\n';
  const at = await listen((socket) => {
    socket.on('data', (text) => {
      for (const command of String(text).split(/(?=\*\d+\r\n)/)) socket.write(answerTo(command));
    });
  });
  const { connection, faults } = connect(at);
  await vi.waitFor(() => expect(connection.isUp()).toBe(true), waiting);
  expect(await connection.attempt((redis) => redis.getrange('x', 0, 1))).toBeUndefined();
  // The next one would make it usable.
  await connection.redis.ping();
  expect([connection.isUp(), faults]).toEqual([
    false,
    [
      'REDIS_URL leads to a node of a Redis Cluster (MOVED), which is not supported: name one Redis, or Sentinels',
    ],
  ]);
});

describe.skipIf(url === '' || !canStart)('a Redis', () => {
  test('that refuses writes because it is a replica now gets a new connection, which may lead to the new primary', async () => {
    const { other, at } = await openRedis();
    const { connection } = connect(at(''));
    await vi.waitFor(() => expect(connection.isUp()).toBe(true), waiting);
    await other.replicaof('127.0.0.1', await findFreePort());
    const again = event(connection.redis, 'ready');
    expect(await connection.attempt((redis) => redis.set('x', '1'))).toBeUndefined();
    await again;
  });

  test.each([
    ['that is not given', '', /^NOAUTH /],
    ['that is wrong', ':geheim@', /^WRONGPASS /],
  ])('with a password %s is down, says so once, and is used when it is mended', async (_, user, reason) => {
    const { other, at } = await openRedis();
    await other.config('SET', 'requirepass', 'right');
    const { connection, faults, tries } = connect(at(user));
    await tries(3);
    expect(faults).toEqual([expect.stringMatching(reason)]);
    expect(faults[0]).not.toContain('geheim');
    expect(connection.isUp()).toBe(false);
    expect(await connection.attempt((redis) => redis.get('x'))).toBeUndefined();

    await other.config('SET', 'requirepass', '');
    await vi.waitFor(() => expect(connection.isUp()).toBe(true), waiting);
    expect(faults).toHaveLength(1);
  });

  test('a Redis without the configured database counts as down, is reported once, and nothing is stored in another database', async () => {
    const { other, at } = await openRedis();
    const { connection, faults } = connect(at('', '/99'));
    await vi.waitFor(() => expect(faults).toEqual(['ERR DB index is out of range']), waiting);
    const { redis } = connection;
    if (redis.status !== 'ready') await event(redis, 'ready');
    // Until it has been asked for the database again.
    const asked = async () =>
      Number(/cmdstat_select:calls=(\d+)/.exec(await other.info('commandstats'))?.[1]);
    const before = await asked();
    await vi.waitFor(async () => expect(await asked()).toBeGreaterThan(before), waiting);
    expect(connection.isUp()).toBe(false);
    await connection.attempt((commands) => commands.set('x', '1'));
    expect(await other.dbsize()).toBe(0);
    expect(faults).toHaveLength(1);
  });

  test('everything is stored in the configured database of Redis, and no command is sent on a new connection that Redis refused', async () => {
    const { other, at } = await openRedis();
    await other.call('ACL', 'SETUSER', 'sam', 'on', '>geheim', '~*', '&*', '+@all');
    const { connection, faults } = connect(at('sam:geheim@', '/3'));
    await vi.waitFor(() => expect(connection.isUp()).toBe(true), waiting);
    await connection.attempt((redis) => redis.set('y', '1'));
    expect([await other.dbsize(), await other.call('INFO', 'keyspace')]).toEqual([
      0,
      expect.stringMatching(/db3:keys=1,/),
    ]);
    await other.call('ACL', 'SETUSER', 'sam', '-select');
    const again = event(connection.redis, 'ready');
    await other.call('CLIENT', 'KILL', 'USER', 'sam');
    await again;
    expect(connection.isUp()).toBe(false);
    await connection.attempt((redis) => redis.set('x', '1'));
    expect(await other.dbsize()).toBe(0);
    // In addition, a connection that is being used when it is killed may report that it was reset.
    await vi.waitFor(() => expect(faults).toContainEqual(expect.stringMatching(/^NOPERM /)), waiting);
  });
});

test('an answer that came while this process stood still counts, although its time limit is over', async () => {
  const connection = connectRedis(url, () => {}, { ...patientLimits, commandTimeoutMs: 50 });
  onTestFinished(() => connection.close());
  await vi.waitFor(() => expect(connection.isUp()).toBe(true), waiting);
  for (let stall = 0; stall < 5; stall++) {
    const answer = connection.attempt((redis) => redis.ping());
    // Redis answers meanwhile.
    const untilMs = performance.now() + 200;
    while (performance.now() < untilMs);
    expect(await answer).toBe('PONG');
  }
});

function createOutage() {
  const reported: string[] = [];
  const outage = createRedisOutage(({ message }) => void reported.push(message));
  return { outage, reported };
}

test('a Redis outage is reported once, with its first reason, and so is the next one', () => {
  const { outage, reported } = createOutage();
  for (const reason of ['connect ECONNREFUSED', 'connect ETIMEDOUT', 'connect ECONNREFUSED'])
    outage.report(new Error(reason));
  outage.end();
  outage.report(new Error('read ECONNRESET'));
  expect(reported).toEqual(['connect ECONNREFUSED', 'read ECONNRESET']);
});

test('a Redis that starts but refuses is reported once for each reason', () => {
  const { outage, reported } = createOutage();
  outage.report(new Error('connect ECONNREFUSED'));
  for (let n = 0; n < 3; n++) {
    outage.report(new ReplyError('ERR invalid password'));
    outage.report(new ReplyError('NOAUTH Authentication required.'));
  }
  expect(reported).toEqual([
    'connect ECONNREFUSED',
    'ERR invalid password',
    'NOAUTH Authentication required.',
  ]);
});

test('Redis refusals that differ each time do not flood the log', () => {
  const { outage, reported } = createOutage();
  for (let n = 0; n < 100; n++) outage.report(new ReplyError(`ERR busy for ${n} ms`));
  expect(reported).toHaveLength(5);
});

test('the report of a Redis outage has no arguments of a command, such as a password', () => {
  const faults: Error[] = [];
  const refusal = Object.assign(
    new ReplyError("ERR unknown command 'AUTH', with args beginning with: 'sam' 'geheim'"),
    { command: { name: 'auth', args: ['sam', 'geheim'] } },
  );
  createRedisOutage((fault) => void faults.push(fault)).report(refusal);
  expect(faults.map(({ message }) => message)).toEqual(["ERR unknown command 'AUTH'"]);
  expect(JSON.stringify(faults.map((fault) => ({ ...fault, stack: fault.stack })))).not.toContain('geheim');
});

test('the report of a Redis outage keeps the code of a network error', () => {
  const faults: Error[] = [];
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  createRedisOutage((fault) => void faults.push(fault)).report(refused);
  expect(faults).toEqual([expect.objectContaining({ code: 'ECONNREFUSED' })]);
});
