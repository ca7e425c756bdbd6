import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '../find-free-port.ts';
import {
  createLatchkeyProcess,
  type Dependencies,
  type LatchkeyProcess,
} from '../processes/latchkey-process.ts';
import {
  absentBucket,
  createDistributedProfile,
  makeProfileSecrets,
  type Stores,
} from '../stack/distributed-profile.ts';
import { singleNodeEntry, topology } from '../stack/topology.ts';
import { runVitest } from '../test-run/run-vitest.ts';
import { migrateWith, type Release } from './release.ts';
import type { SharedTests } from './shared-tests.ts';
import type { Tally } from './tally.ts';

/** The code of one release, with its own tests, on the schema of another. */
export interface CodeOnSchema {
  code: Release;
  /** The releases whose `latchkey migrate` prepares the database, in order. */
  schema: readonly Release[];
  /** The migrations of the code's own schema that the database lacks. */
  pending: readonly string[];
  tests: SharedTests;
  tally: Tally;
  folder: string;
}

const hex = () => randomBytes(32).toString('hex');

async function prepare({ code, schema }: CodeOnSchema, database: Record<string, string>): Promise<void> {
  for (const release of schema) await migrateWith(release, database);
  // After a rollback the older release's migration runs too, and must leave a newer database unchanged.
  if (schema.at(-1) !== code && schema.includes(code)) await migrateWith(code, database);
}

/** Each test starts its own single nodes, each on a copy of the prepared file. */
export async function testOnSqlite(pair: CodeOnSchema, part: string): Promise<void> {
  const { code, tests, tally, folder } = pair;
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'prepared.db');
  await prepare(pair, { SQLITE_PATH: file });
  const env = { ...process.env, BASE_URL: undefined, TEST_DATABASE_FILE: file };
  const { counts, code: exitCode } = await runVitest(code.folder, tests.onOwn, env);
  tally.add(part, counts, exitCode);
  const server = await createSingleNode({ SQLITE_PATH: file }, makeProfileSecrets());
  await withProcesses([server], code, async () => checkSchema(pair, part, await server.waitReady()));
}

export async function testOnPostgres(pair: CodeOnSchema, part: string, { postgres }: Stores): Promise<void> {
  await prepare(pair, { DATABASE_URL: postgres });
  const secrets = makeProfileSecrets();
  // A first run writes its secrets beside this file.
  const elsewhere = join(pair.folder, 'unused.db');
  const server = await createSingleNode({ DATABASE_URL: postgres, SQLITE_PATH: elsewhere }, secrets);
  await testGiven(pair, part, [server], server, secrets);
}

export async function testAsServices(pair: CodeOnSchema, part: string, stores: Stores): Promise<void> {
  await prepare(pair, { DATABASE_URL: stores.postgres });
  const secrets = makeProfileSecrets();
  // Code of 0.2.0 has no such service. A gateway that has one needs it for the OpenAPI document.
  const hasPlayback = existsSync(join(pair.code.folder, topology.playback.entry));
  const playback = hasPlayback ? 1 : 0;
  const replicas = { auth: 1, content: 1, leases: 1, 'key-derivation': 2, playback, gateway: 1 };
  const { all, processes } = await createDistributedProfile({
    stores,
    secrets,
    replicas,
    settings: absentBucket(),
  });
  const [gateway] = processes.gateway;
  if (gateway) await testGiven(pair, part, all, gateway, secrets);
}

async function testGiven(
  pair: CodeOnSchema,
  part: string,
  all: readonly LatchkeyProcess[],
  front: LatchkeyProcess,
  secrets: { ADMIN_API_KEY: string; AUTH_JWT_SECRET: string },
): Promise<void> {
  const { code, tests, tally } = pair;
  await withProcesses(all, code, async () => {
    await Promise.all(all.map((process) => process.waitReady()));
    const { ADMIN_API_KEY, AUTH_JWT_SECRET } = secrets;
    const env = { ...process.env, ADMIN_API_KEY, AUTH_JWT_SECRET, BASE_URL: front.url };
    const { counts, code: exitCode } = await runVitest(code.folder, tests.onGiven, env);
    tally.add(part, counts, exitCode);
    checkSchema(pair, part, await front.waitReady());
  });
}

/** Checks that the pending migrations are still pending, as `/ready` of this release reports them. */
function checkSchema({ pending, tally }: CodeOnSchema, part: string, { migrations }: Dependencies): void {
  if (pending.length === 0) return;
  const shown = JSON.stringify(migrations?.pending ?? []);
  tally.check(`${part}: /ready shows what is pending`, shown === JSON.stringify(pending), shown);
}

async function createSingleNode(
  database: Record<string, string>,
  { ADMIN_API_KEY, AUTH_JWT_SECRET }: { ADMIN_API_KEY: string; AUTH_JWT_SECRET: string },
): Promise<LatchkeyProcess> {
  return createLatchkeyProcess({
    name: 'single node',
    entry: singleNodeEntry,
    port: await findFreePort(),
    env: {
      ...database,
      ADMIN_API_KEY,
      AUTH_JWT_SECRET,
      MASTER_KEY_HEX: hex(),
      SALT_HEX: hex(),
      MIGRATE_ON_START: 'false',
    },
  });
}

async function withProcesses(
  all: readonly LatchkeyProcess[],
  { folder }: Release,
  work: () => Promise<void>,
): Promise<void> {
  try {
    for (const process of all) process.start(folder);
    await work();
  } finally {
    await Promise.all(all.map((process) => process.end('SIGKILL')));
  }
}
