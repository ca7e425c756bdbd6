import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startDrilledServices } from '@latchkey/support/black-box/drilled-services';
import { makeTestFolder } from '@latchkey/support/black-box/own-process';
import {
  actAfter,
  actBefore,
  expectRestored,
  redoRevocations,
} from '@latchkey/support/black-box/restore-drill';
import { describeDatabaseRoles } from '@latchkey/support/stack/database-roles';
import { findProgram } from '@latchkey/support/stores/own-stores';
import { runSql } from '@latchkey/support/stores/run-sql';
import { expect, it, onTestFinished } from 'vitest';

const run = promisify(execFile);
const postgres = process.env.TEST_POSTGRES_URL ?? '';

it('a Postgres that is lost comes back from a dump, and neither replicas nor Redis believe what they know of later changes', async () => {
  const name = `latchkey_restore_${randomBytes(6).toString('hex')}`;
  const database = new URL(postgres);
  database.pathname = `/${name}`;
  const url = database.toString();
  await runSql(postgres, `create database ${name} template template0`);
  onTestFinished(async () => {
    const { removal } = describeDatabaseRoles(url, name);
    await runSql(postgres, `drop database if exists ${name} with (force)`, ...removal);
  });
  const { migrate, target, owners, log } = await startDrilledServices(url, name);
  const folder = makeTestFolder();
  const dump = join(folder, 'latchkey.dump');
  const before = await actBefore(target);
  const since = new Date().toISOString();
  await run(findProgram('pg_dump') ?? 'pg_dump', ['--format=custom', '--file', dump, url]);
  const after = await actAfter(target, before);

  // Key-derivation and Redis go on with what they know. They need not be stopped, and must not be believed.
  await Promise.all(owners.map((process) => process.end('SIGKILL')));
  await runSql(postgres, `drop database ${name} with (force)`, `create database ${name} template template0`);
  const restore = ['--no-privileges', '--exit-on-error', '--dbname', url, dump];
  await run(findProgram('pg_restore') ?? 'pg_restore', restore);
  await migrate();
  for (const process of owners) process.start();
  await Promise.all(owners.map((process) => process.waitReady()));

  await expectRestored(target, before, after);
  await redoRevocations(target, before, { log: log(), since, folder });
  expect(log()).toContain('"revocation"');
}, 300_000);
