// `npm test -- tls`: black-box tests against separate processes whose stores want TLS and credentials, in every form of docs/operate/tls.md. In
// one of them the processes speak TLS with each other too.
import { findFreePort } from '../find-free-port.ts';
import { readFlags } from '../read-flags.ts';
import { startStack } from '../stack/start-stack.ts';
import { startNatsCluster, startNatsVariant } from '../stores/nats-variants.ts';
import { startOwnPgBouncer } from '../stores/own-pgbouncer.ts';
import { postgresUid, startOwnPostgres } from '../stores/own-stores.ts';
import { startRedisSentinel, startRedisVariant } from '../stores/redis-variants.ts';
import { makeCertificateAuthority } from '../tls/make-certificates.ts';
import { blackBoxSettings } from './black-box-tests.ts';
import { selectTests } from './programs.ts';
import { runTests } from './run-tests.ts';

const usage = `npm test -- tls: black-box tests against separate processes whose stores want TLS and credentials

Three variants, one after the other, in some 2 minutes: certificates and users, also between services; PgBouncer, Sentinel and a cluster of NATS; several servers
of Postgres and one of Redis with TLS. Needs Postgres, PgBouncer, Redis and nats-server on this machine.

Ends with: N passed, N failed, for each variant. Exits 0 if nothing failed.
`;
readFlags(usage, {});

/** The tests that need all stores: keys, leases, revocations that reach every replica, and the audit. */
const tests = ['keys', 'leases', 'lease-revocation', 'marks', 'api-keys', 'audit', 'health'].map(
  (name) => `tests/api/${name}.test.ts`,
);
const authority = makeCertificateAuthority('the CA', postgresUid());
const user = { name: 'latchkey', password: 'a-password' };
const own = authority.issue('client', { commonName: 'postgres' });
const server = authority.issue('server');

interface Variant {
  name: string;
  stores: { postgres: string; redis: string; nats: string };
  settings: Record<string, string>;
}

const running: { stop(): Promise<void> }[] = [];
async function keep<S extends { stop(): Promise<void> }>(starting: Promise<S>): Promise<S> {
  const started = await starting;
  running.push(started);
  return started;
}

const startPostgres = (settings: Record<string, string> = {}) => keep(startOwnPostgres(settings));

const variants: (() => Promise<Variant>)[] = [
  async () => ({
    name: 'Postgres, Redis and NATS with TLS, client certificates and users, and mutual TLS between services',
    stores: {
      postgres: (
        await startPostgres({
          ssl: 'on',
          ssl_cert_file: server.cert,
          ssl_key_file: server.key,
          ssl_ca_file: authority.ca,
        })
      ).url,
      redis: (await keep(startRedisVariant({ authority, user }))).url,
      nats: (
        await keep(
          startNatsVariant({
            tls: { ...authority.issue('nats'), clientCa: authority.ca },
            lines: ['authorization { user: latchkey, password: "a-password" }'],
          }),
        )
      ).url.replace('//', '//latchkey:a-password@'),
    },
    settings: {
      DATABASE_CA_FILE: authority.ca,
      DATABASE_CERT_FILE: own.cert,
      DATABASE_KEY_FILE: own.key,
      REDIS_CA_FILE: authority.ca,
      NATS_CA_FILE: authority.ca,
      NATS_CERT_FILE: own.cert,
      NATS_KEY_FILE: own.key,
      INTERNAL_TLS_CA_FILE: authority.ca,
      INTERNAL_TLS_CERT_FILE: server.cert,
      INTERNAL_TLS_KEY_FILE: server.key,
    },
  }),
  async () => {
    const { port } = await startPostgres();
    return {
      name: 'PgBouncer in transaction mode, Redis Sentinel with TLS, and a cluster of NATS',
      stores: {
        postgres: (await keep(startOwnPgBouncer({ postgresPort: port }))).url,
        redis: (await keep(startRedisSentinel({ authority, user }))).url,
        nats: (await keep(startNatsCluster())).url,
      },
      settings: { REDIS_CA_FILE: authority.ca },
    };
  },
  async () => {
    const { port } = await startPostgres();
    return {
      name: 'several servers of Postgres, Redis with TLS, and NATS with TLS',
      stores: {
        postgres: `postgres://postgres@127.0.0.1:${await findFreePort()},127.0.0.1:${port}/postgres`,
        redis: (await keep(startRedisVariant({ authority }))).url,
        nats: (await keep(startNatsVariant({ tls: authority.issue('nats') }))).url,
      },
      settings: { REDIS_CA_FILE: authority.ca, NATS_CA_FILE: authority.ca },
    };
  },
];

/** @returns the exit code of the tests */
async function testVariant({ name, stores, settings }: Variant): Promise<number> {
  const stack = await startStack({
    stores,
    replicas: { 'key-derivation': 2 },
    settings: { ...blackBoxSettings, ...settings },
  });
  try {
    // Whole: the stores without which keys are also served are up too.
    await Promise.all(stack.all.map((process) => process.waitWhole()));
    process.stderr.write(`\n${name}: every dependency is up, requests to ${stack.url}\n`);
    const env = { ...process.env, ...stack.secrets, BASE_URL: stack.url };
    return await runTests(selectTests(tests), env);
  } finally {
    await stack.end('SIGKILL');
  }
}

let code = 0;
try {
  for (const start of variants) code ||= await testVariant(await start());
} catch (error) {
  process.stdout.write(`${(error as Error).message}\n0 passed, 1 failed\n`);
  code = 1;
} finally {
  await Promise.all(running.map((each) => each.stop()));
  authority.remove();
}
process.exit(code);
