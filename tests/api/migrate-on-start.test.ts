import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { complete, makeTestFolder, runToEnd, startInTest } from '@latchkey/support/black-box/own-process';
import { expect, it } from 'vitest';

it('MIGRATE_ON_START=false leaves an empty database unchanged, and the server ends with the command to run', async () => {
  const folder = makeTestFolder();
  const { code, stdout, stderr } = await runToEnd(folder, { ...complete, MIGRATE_ON_START: 'false' });
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/The database lacks 0001.*latchkey migrate/);
  expect(stderr).not.toMatch(/\n\s+at /);
  const database = new DatabaseSync(join(folder, 'latchkey.db'));
  expect(database.prepare('SELECT name FROM sqlite_master').all()).toEqual([]);
  database.close();
});

it('MIGRATE_ON_START=false serves a database that has been migrated', async () => {
  const folder = makeTestFolder();
  const first = startInTest(folder, complete);
  expect((await fetch(`${await first.listens()}/ready`)).status).toBe(200);
  first.kill('SIGTERM');
  expect((await first.ended()).code).toBe(0);
  const elsewhere = makeTestFolder();
  copyFileSync(join(folder, 'latchkey.db'), join(elsewhere, 'latchkey.db'));
  const url = await startInTest(elsewhere, { ...complete, MIGRATE_ON_START: 'false' }).listens();
  const answer = await fetch(`${url}/ready`);
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({
    dependencies: { migrations: { status: 'up', version: expect.stringMatching(/^\d{4}-/) } },
  });
});
