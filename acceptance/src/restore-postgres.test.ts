import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { LatchkeyProcess } from '@latchkey/rig/processes/latchkey-process';
import { describeDatabaseRoles } from '@latchkey/rig/stack/database-roles';
import { createDistributedProfile, makeProfileSecrets } from '@latchkey/rig/stack/distributed-profile';
import { findProgram, startOwnRedis } from '@latchkey/rig/stores/own-stores';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { readApiDocument } from './api-document.ts';
import { createClient } from './client.ts';
import { makeTestFolder } from './own-process.ts';
import { actAfter, actBefore, expectRestored, redoRevocations } from './restore-drill.ts';
import type { Target } from './target.ts';

const run = promisify(execFile);
const postgres = process.env.TEST_POSTGRES_URL ?? '';

async function sql(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Separate services with a Redis of their own, on a new database. */
async function startServices(name: string) {
  const database = new URL(postgres);
  database.pathname = `/${name}`;
  const url = database.toString();
  await sql(postgres, `create database ${name} template template0`);
  const roles = describeDatabaseRoles(url, name);
  const redis = await startOwnRedis();
  const secrets = makeProfileSecrets();
  let log = '';
  const { all, processes } = await createDistributedProfile({
    stores: { postgres: url, redis: redis.url },
    roles,
    secrets,
    replicas: { auth: 1, content: 1, leases: 1, 'key-derivation': 1, playback: 1, gateway: 1 },
    settings: { LOG_LEVEL: 'info', SHUTDOWN_DRAIN_SECONDS: '0' },
    outputOf: (from) => (_name, stream, text) => {
      if (stream === 'stdout' && from.startsWith('gateway')) log += text;
    },
  });
  onTestFinished(async () => {
    await Promise.all(all.map((process) => process.end('SIGKILL')));
    await redis.stop();
    await sql(postgres, `drop database if exists ${name} with (force)`, ...roles.removal);
  });
  for (const process of all) process.start();
  await roles.migrate();
  await Promise.all(all.map((process) => process.waitReady()));
  const gateway = processes.gateway[0] as LatchkeyProcess;
  const target: Target = {
    url: gateway.url,
    adminApiKey: secrets.ADMIN_API_KEY,
    jwtSecret: Buffer.from(secrets.AUTH_JWT_SECRET),
    propagationMs: 5_000,
    client: createClient(gateway.url, await readApiDocument(gateway.url), 10),
  };
  const owners = [...processes.auth, ...processes.content, ...processes.leases];
  return { url, roles, target, owners, log: () => log };
}

it('a Postgres that is lost comes back from a dump, and neither replicas nor Redis believe what they know of later changes', async () => {
  const name = `latchkey_restore_${randomBytes(6).toString('hex')}`;
  const { url, roles, target, owners, log } = await startServices(name);
  const folder = makeTestFolder();
  const dump = join(folder, 'latchkey.dump');
  const before = await actBefore(target);
  const since = new Date().toISOString();
  await run(findProgram('pg_dump') ?? 'pg_dump', ['--format=custom', '--file', dump, url]);
  const after = await actAfter(target, before);

  // Key-derivation and Redis go on with what they know. They need not be stopped, and must not be believed.
  await Promise.all(owners.map((process) => process.end('SIGKILL')));
  await sql(postgres, `drop database ${name} with (force)`, `create database ${name} template template0`);
  const restore = ['--no-privileges', '--exit-on-error', '--dbname', url, dump];
  await run(findProgram('pg_restore') ?? 'pg_restore', restore);
  await roles.migrate();
  for (const process of owners) process.start();
  await Promise.all(owners.map((process) => process.waitReady()));

  await expectRestored(target, before, after);
  await redoRevocations(target, before, { log: log(), since, folder });
  expect(log()).toContain('"revocation"');
}, 180_000);
