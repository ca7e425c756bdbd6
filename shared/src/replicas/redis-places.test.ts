import { findProgram } from '@latchkey/support/stores/own-stores';
import {
  type RunningVariant,
  startRedisSentinel,
  startRedisVariant,
} from '@latchkey/support/stores/redis-variants';
import { type CertificateAuthority, makeCertificateAuthority } from '@latchkey/support/tls/make-certificates';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createSeal } from '../seal/seal.ts';
import { openTlsFiles, TlsRefused } from '../tls/index.ts';
import { patientLimits, started } from './redis.fixture.ts';
import { connectRedis } from './redis-connection.ts';
import { createRedisStateStore } from './state-store.ts';

const canStart = findProgram('redis-server') !== undefined && findProgram('openssl') !== undefined;
const waiting = { timeout: 60_000, interval: 20 };
vi.setConfig({ testTimeout: 120_000 });

const user = { name: 'latchkey', password: 'p@ss' };
const seal = createSeal(['the secret of this installation']);
const stamp = { number: 1, history: 'h', at: 1 } as never;

describe.skipIf(!canStart)('Redis', () => {
  let authority: CertificateAuthority;
  let other: CertificateAuthority;

  beforeAll(() => {
    authority = makeCertificateAuthority();
    other = makeCertificateAuthority('another CA');
  });
  afterAll(() => {
    authority.remove();
    other.remove();
  });

  const filesOf = (path: string) =>
    openTlsFiles(
      { ca: { variable: 'REDIS_CA_FILE', path } },
      { now: Date.now, onFault: (error) => expect.fail(String(error)) },
    );
  function connect(url: string, ca: string | null = authority.ca) {
    const faults: unknown[] = [];
    const connection = connectRedis(
      url.replace('p@ss', 'p%40ss'),
      (error) => void faults.push(error),
      patientLimits,
      ca === null ? null : filesOf(ca),
    );
    onTestFinished(() => connection.close());
    return {
      connection,
      faults,
      isUp: () => vi.waitFor(() => expect(connection.isUp()).toBe(true), waiting),
    };
  }
  async function exchange({ connection }: ReturnType<typeof connect>) {
    const ids = Array.from({ length: 40 }, (_, n) => `lease-${n}`);
    connection.redis.defineCommand('double', {
      numberOfKeys: 1,
      lua: "return redis.call('APPEND', KEYS[1], ARGV[1])",
    });
    const { double } = connection.redis as unknown as { double(key: string, text: string): Promise<number> };
    const lengths = await Promise.all(
      ids.map((id) => double.call(connection.redis, `latchkey:test:${id}`, 'ab')),
    );
    expect(lengths).toEqual(ids.map(() => 2));
    const store = createRedisStateStore(connection, seal, () => {});
    for (const id of ids) store.set('lease', id, { id }, stamp, 60_000);
    for (const id of ids)
      await vi.waitFor(async () => expect((await store.get('lease', id))?.value).toEqual({ id }), waiting);
  }

  test('with TLS and an ACL user entries are exchanged', async () => {
    const { url } = await started(startRedisVariant({ authority, user }));
    const client = connect(url);
    await client.isUp();
    await exchange(client);
    expect(client.faults).toEqual([]);
  });

  test('a wrong CA, a wrong host name and an expired certificate are reported in words that name the variable', async () => {
    const faultOf = async (url: string, ca: string | null = authority.ca) => {
      const { faults, connection } = connect(url, ca);
      await vi.waitFor(() => expect(faults).not.toEqual([]), waiting);
      expect([connection.isUp(), faults[0] instanceof TlsRefused]).toEqual([false, true]);
      return (faults[0] as TlsRefused).message;
    };
    const good = await started(startRedisVariant({ authority }));
    expect(await faultOf(good.url, other.ca)).toMatch(
      /^the certificate of Redis is not signed by a CA in REDIS_CA_FILE \(/,
    );
    expect(await faultOf(good.url, null)).toMatch(/no CA that this machine knows. Set REDIS_CA_FILE/);
    const named = await started(
      startRedisVariant({ authority, certificate: { names: 'DNS:cache.example' } }),
    );
    expect(await faultOf(named.url)).toMatch(
      /^the certificate of Redis is not for the host name in REDIS_URL, 127\.0\.0\.1; it is for DNS:cache\.example/,
    );
    const expired = await started(startRedisVariant({ authority, certificate: { expired: true } }));
    expect(await faultOf(expired.url)).toMatch(/^the certificate of Redis, .*has expired/);
  });

  test('a second error of a refused connection, such as the alert of the other side, does not end the process', async () => {
    for (const start of [startRedisVariant, startRedisSentinel]) {
      const { url } = await started<RunningVariant>(start({ authority }));
      const client = connect(url, start === startRedisVariant ? other.ca : authority.ca);
      const socket = () => (client.connection.redis as unknown as { stream?: NodeJS.EventEmitter }).stream;
      await vi.waitFor(() => expect(socket()).toBeDefined(), waiting);
      // The library has taken off its listeners after the first one.
      const emit = () => socket()?.emit('error', new Error('tlsv1 alert decode error'));
      expect(emit).not.toThrow();
      expect(emit).not.toThrow();
    }
  });

  test('Sentinel leads to the primary, and to its successor once that is lost, with TLS and an ACL user', async () => {
    const sentinel = await started(startRedisSentinel({ authority, user }));
    const client = connect(sentinel.url);
    await client.isUp();
    await exchange(client);
    await sentinel.stopPrimary();
    await vi.waitFor(() => expect(client.connection.isUp()).toBe(false), waiting);
    await client.isUp();
    const store = createRedisStateStore(client.connection, seal, () => {});
    store.set('lease', 'later', { id: 'later' }, stamp, 60_000);
    await vi.waitFor(async () => expect(await store.get('lease', 'later')).not.toBeNull(), waiting);
    const refused = connect(sentinel.url, other.ca);
    await vi.waitFor(() => expect(refused.faults[0]).toBeInstanceOf(TlsRefused), waiting);
  });
});
