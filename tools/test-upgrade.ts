import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFlags } from '@latchkey/support/read-flags';
import type { Stores } from '@latchkey/support/stack/distributed-profile';
import { provideStores, thisMachine } from '@latchkey/support/stores/provide-stores';
import { conclude } from '@latchkey/support/test-run/run-tests';
import {
  type CodeOnSchema,
  testAsServices,
  testOnPostgres,
  testOnSqlite,
} from '@latchkey/support/upgrade/code-on-schema';
import { previousRelease, unpackPreviousRelease } from '@latchkey/support/upgrade/previous-release';
import { migrateWith, type Release } from '@latchkey/support/upgrade/release';
import { rollThrough } from '@latchkey/support/upgrade/roll-through';
import { findSharedTests } from '@latchkey/support/upgrade/shared-tests';
import { createTally } from '@latchkey/support/upgrade/tally';

const usage = `npm test -- upgrade: whether two releases that follow each other can share a database

Takes the code of the release before (${previousRelease.version}, commit ${previousRelease.commit.slice(0, 7)}) from the history and proves, on SQLite
and on Postgres, as one process and as separate services, that

  - its code passes its own black-box tests on the schema of this release (after the migration, and after a rollback),
  - the code of this release passes its tests on the schema of the release before (before the migration),
  - services of both, side by side, answer every request while one release takes the other's place, and back.

Tests are those whose files both releases have. Where the history does not reach back so far (a shallow clone), or Postgres,
Redis and NATS cannot be had, what needs them is skipped by name.

  npm test -- upgrade              all of it: some three minutes
  npm test -- upgrade --only NAME  sqlite, postgres, services or rolling

Ends with: N passed, N failed, N skipped. Exits 0 if nothing failed.
`;

const parts = ['sqlite', 'postgres', 'services', 'rolling'] as const;
const root = join(import.meta.dirname, '..');

const { values: flags } = readFlags(usage, { options: { only: { type: 'string' } } });
if (flags.only && !parts.some((part) => part === flags.only)) {
  process.stderr.write(`--only ${flags.only}: accepted are ${parts.join(', ')}\n`);
  process.exit(2);
}
const chosen = (part: (typeof parts)[number]) => !flags.only || flags.only === part;

const say = (line: string) => void process.stdout.write(`${line}\n`);
const tally = createTally(say);
const folder = mkdtempSync(join(tmpdir(), 'latchkey-upgrade-'));

/** Each part has separate stores: the entries of other parts in Redis and NATS belong to no upgrade. */
async function withStores(part: string, work: (stores: Stores) => Promise<void>): Promise<void> {
  const services = await provideStores(['Postgres', 'Redis', 'NATS'], { ...thisMachine, env: {} });
  try {
    if (services.missing.length > 0) return tally.skip(part, `needs ${services.missing.join(', ')}`);
    const { TEST_POSTGRES_URL = '', TEST_REDIS_URL = '', TEST_NATS_URL = '' } = services.variables;
    await work({ postgres: TEST_POSTGRES_URL, redis: TEST_REDIS_URL, nats: TEST_NATS_URL });
  } finally {
    await services.stop();
  }
}

async function attempt(part: string, work: () => Promise<void>): Promise<void> {
  say(`\n${part}`);
  try {
    await work();
  } catch (error) {
    tally.check(part, false, (error as Error).message);
  }
}

async function testAll(before: Release, now: Release): Promise<void> {
  const tests = findSharedTests(before.folder, now.folder);
  for (const file of tests.notShared) say(`not in ${before.version}: ${file}`);
  const file = { SQLITE_PATH: join(folder, 'names.db') };
  const ofBefore = await migrateWith(before, file);
  const added = /brought up to date: (.+)$/.exec(await migrateWith(now, file))?.[1]?.split(', ') ?? [];
  say(`${before.version}: ${ofBefore}\n${now.version} adds: ${added.join(', ') || 'no migration'}`);

  const pairs: [string, Omit<CodeOnSchema, 'folder'>][] = [
    [
      `${before.version} on the schema of ${now.version}`,
      { code: before, schema: [before, now], pending: [], tests, tally },
    ],
    [
      `${now.version} on the schema of ${before.version}`,
      { code: now, schema: [before], pending: added, tests, tally },
    ],
  ];
  for (const [index, [name, facts]] of pairs.entries()) {
    const pair: CodeOnSchema = { ...facts, folder: join(folder, String(index)) };
    if (chosen('sqlite')) {
      const part = `SQLite: ${name}`;
      await attempt(part, () => testOnSqlite(pair, part));
    }
    if (chosen('postgres')) {
      const part = `Postgres, one process: ${name}`;
      await attempt(part, () => withStores(part, (stores) => testOnPostgres(pair, part, stores)));
    }
    if (chosen('services')) {
      const part = `Postgres, separate services: ${name}`;
      await attempt(part, () => withStores(part, (stores) => testAsServices(pair, part, stores)));
    }
  }
  if (chosen('rolling')) {
    const part = `Postgres, separate services: from ${before.version} to ${now.version} and back`;
    await attempt(part, () => withStores(part, (stores) => rollThrough(before, now, stores, tally)));
  }
}

let code = 1;
try {
  const before: Release = { version: previousRelease.version, folder: join(folder, previousRelease.version) };
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const missing = await unpackPreviousRelease(before.folder);
  if (missing) {
    for (const part of parts.filter(chosen)) tally.skip(`upgrade from ${before.version}, ${part}`, missing);
    say(missing);
  } else {
    await testAll(before, { version, folder: root });
  }
  const { lines } = conclude(tally.counts, tally.counts.failed > 0 ? 1 : 0);
  say(`\n${lines.join('\n')}`);
  code = tally.counts.failed > 0 ? 1 : 0;
} catch (error) {
  say(`${(error as Error).message}\n0 passed, 1 failed, 0 skipped`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(code);
