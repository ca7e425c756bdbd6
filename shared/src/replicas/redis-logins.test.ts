import { once } from 'node:events';
import { commandRedis } from '@latchkey/support/stores/changed-users';
import { findProgram } from '@latchkey/support/stores/own-stores';
import {
  startRedisCluster,
  startRedisSentinel,
  startRedisVariant,
} from '@latchkey/support/stores/redis-variants';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { patientLimits, started } from './redis.fixture.ts';
import { connectRedis } from './redis-connection.ts';

const canStart = findProgram('redis-server') !== undefined;
const waiting = { timeout: 60_000, interval: 20 };
vi.setConfig({ testTimeout: 120_000 });

const name = 'latchkey';
const user = { name, password: 'old' };
const inner = (url: string, password: string) => url.replace(`${name}:old@`, `${name}:${password}@`);

function connect(url: string) {
  const secret = { value: url, file: url };
  const faults: unknown[] = [];
  let others = 0;
  const connection = connectRedis(
    { reveal: () => secret.value, newest: () => secret.file },
    (error) => void faults.push(error),
    patientLimits,
    { onOtherPlace: () => void others++ },
  );
  onTestFinished(() => connection.close());
  const isUp = () => vi.waitFor(() => expect(connection.isUp()).toBe(true), waiting);
  /** Does what closes the connection, and waits until it is closed. */
  async function lose(work: () => void): Promise<void> {
    const closed = once(connection.redis, 'close');
    work();
    await closed;
  }
  return { connection, secret, faults, isUp, lose, others: () => others };
}

describe.skipIf(!canStart)('a password of Redis that changes', () => {
  /** Replaces the password at the server and closes the connections. */
  function replacePassword(port: number, from: string, to: string): void {
    commandRedis(port, { name, password: from }, ['acl', 'setuser', name, 'resetpass', `>${to}`]);
    commandRedis(port, { name, password: to }, ['client', 'kill', 'user', name, 'skipme', 'yes']);
  }

  test('while Redis does not know the new password yet, a lost connection comes back with the one before', async () => {
    const { url, port } = await started(startRedisVariant({ user }));
    const { secret, isUp, lose, faults } = connect(url);
    await isUp();
    secret.value = secret.file = inner(url, 'new');
    await lose(() => replacePassword(port, 'old', 'old'));
    await isUp();
    await lose(() => replacePassword(port, 'old', 'new'));
    await isUp();
    expect(faults.map(String).filter((fault) => fault.includes('WRONGPASS'))).toEqual([]);
  });

  test('while the process does not know the new password, the outage is reported, and it ends once the file has the password', async () => {
    const { url, port } = await started(startRedisVariant({ user }));
    const { secret, isUp, lose, faults } = connect(url);
    await isUp();
    await lose(() => replacePassword(port, 'old', 'new'));
    await vi.waitFor(() => expect(faults.map(String).join()).toContain('WRONGPASS'), waiting);
    // Nobody tells the process.
    secret.file = inner(url, 'new');
    await isUp();
  });

  test('the nodes of a cluster are reached again with the new password', async () => {
    const { url } = await started(startRedisCluster({ user }));
    const { connection, secret, isUp } = connect(url);
    await isUp();
    const ports = [...url.matchAll(/:(\d+)/g)].map(([, port]) => Number(port));
    const listed = commandRedis(ports[0] as number, user, ['cluster', 'nodes']);
    const every = [...listed.matchAll(/127\.0\.0\.1:(\d+)@/g)].map(([, port]) => Number(port));
    expect(every).toHaveLength(3);
    secret.value = secret.file = inner(url, 'new');
    for (const port of every) replacePassword(port, 'old', 'new');
    // Slots of every node.
    const keys = Array.from({ length: 40 }, (_, n) => `latchkey:test:${n}`);
    for (const key of keys)
      await vi.waitFor(() => expect(connection.redis.set(key, 'entry')).resolves.toBe('OK'), waiting);
  });

  test('the primary behind sentinels is reached again with the new password', async () => {
    const { url, primaryPort } = await started(startRedisSentinel({ user }));
    const { secret, isUp, lose } = connect(url);
    await isUp();
    secret.value = secret.file = inner(url, 'new');
    await lose(() => replacePassword(primaryPort, 'old', 'new'));
    await isUp();
  });

  test('a URL that names another place is not taken, and is reported once', async () => {
    const { url, port } = await started(startRedisVariant({ user }));
    const { secret, isUp, lose, others } = connect(url);
    await isUp();
    secret.value = secret.file = 'redis://other.example:6379';
    await lose(() => replacePassword(port, 'old', 'old'));
    await isUp();
    expect(others()).toBe(1);
  });
});
