import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startOwnPostgres } from '../../scripts/own-services.ts';
import { adminKey, call, type Subject, startServer, tokenSecret, viewerToken } from './servers.ts';

/**
 * Bare servers, a bare forwarder before one of them, and Latchkey's gateway before its services.
 *
 * @throws Error where Postgres is not installed on this machine
 */
export async function startDistributedSubjects(): Promise<Subject[]> {
  const http = await startServer('bare node:http', 'bare-http.ts', {});
  const fastify = await startServer('bare Fastify', 'bare-fastify.ts', {});
  const forwarder = await startServer('bare http + undici', 'bare-forwarder.ts', { UPSTREAM_URL: http.url });
  const { gateway, keyDerivation, secret } = await startServices();
  await call(gateway.url, 'POST', '/api/v1/content', adminKey, { id: 'film', name: 'Film' });
  const headers = { authorization: `Bearer ${await viewerToken()}` };
  const subjects = [
    http,
    fastify,
    forwarder,
    { ...keyDerivation, headers: { ...headers, 'x-latchkey-secret': secret } },
    { ...gateway, headers },
  ];
  return subjects.map((subject) => ({ ...subject, url: `${subject.url}/keys/film/0` }));
}

/** The five processes on a Postgres of their own, ready. Stopping the gateway stops what is not measured. */
async function startServices() {
  const postgres = await startOwnPostgres();
  const secret = randomBytes(32).toString('hex');
  const env = {
    DATABASE_URL: postgres.url,
    INTERNAL_SECRET: secret,
    AUTH_JWT_SECRET: tokenSecret,
    METRICS_PORT: '0',
    SHUTDOWN_DRAIN_SECONDS: '0',
  };
  const cli = fileURLToPath(new URL('../../cli/src/main.ts', import.meta.url));
  await promisify(execFile)(process.execPath, [cli, 'migrate'], { env: { ...process.env, ...env } });
  const start = (name: string, more: Record<string, string>) =>
    startServer(name, `../../services/${name}/src/serve.ts`, { ...env, ...more });
  const auth = await start('auth', { ADMIN_API_KEY: adminKey });
  const content = await start('content', { AUTH_SERVICE_URL: auth.url });
  const owners = { AUTH_SERVICE_URL: auth.url, CONTENT_SERVICE_URL: content.url };
  const leases = await start('leases', owners);
  const keyDerivation = await start('key-derivation', {
    ...owners,
    LEASES_SERVICE_URL: leases.url,
    MASTER_KEY_HEX: '1'.repeat(64),
    SALT_HEX: '2'.repeat(64),
  });
  const gateway = await startServer('Latchkey, gateway', '../../gateway/src/main.ts', {
    ...env,
    ...owners,
    LEASES_SERVICE_URL: leases.url,
    KEY_DERIVATION_SERVICE_URL: keyDerivation.url,
  });
  await becomesReady(gateway.url);
  return {
    secret,
    keyDerivation: { ...keyDerivation, name: 'Latchkey, key-derivation itself' },
    gateway: {
      ...gateway,
      async stop() {
        await Promise.all([gateway, leases, content, auth].map((server) => server.stop()));
        await postgres.stop();
      },
    },
  };
}

const readyLimitMs = 20_000;

async function becomesReady(url: string): Promise<void> {
  const deadline = performance.now() + readyLimitMs;
  while (!(await fetch(`${url}/ready`)).ok) {
    if (performance.now() > deadline) throw new Error(`${url} was not ready within ${readyLimitMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
