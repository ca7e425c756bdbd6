import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { openDatabase } from '@latchkey/shared/db';
import { createOwnPostgres } from '@latchkey/shared/testing/own-postgres';
import { findBlock, readBlocks, readDocument } from '@latchkey/support/documents/read-blocks';
import { makeClone, runBlock } from '@latchkey/support/documents/run-block';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../testing/run-command.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';

const { TEST_POSTGRES_URL: url = '', TEST_POSTGRES_TEMPLATE: template } = process.env;
const passwords = {
  AUTH_DATABASE_PASSWORD: 'a'.repeat(40),
  CONTENT_DATABASE_PASSWORD: 'c'.repeat(40),
  LEASES_DATABASE_PASSWORD: 'l'.repeat(40),
};

test('migrate --roles on a SQLite file is refused with the variable that names a Postgres', async () => {
  const { exitCode, stderr } = await runCommand(['migrate', '--roles'], { env: { SQLITE_PATH: ':memory:' } });
  expect(exitCode).not.toBe(0);
  expect(stderr).toContain('DATABASE_URL');
});

test('migrate --help names the passwords that --roles reads, and that a file may hold each', async () => {
  const { stdout } = await runCommand(['migrate', '--help']);
  for (const name of Object.keys(passwords)) expect(stdout).toContain(name);
  expect(stdout).toContain('_FILE');
});

test.each(['latchkey"; drop table x', 'Latchkey', 'pg_latchkey', 'a'.repeat(51)])(
  'the prefix %s of --roles is refused, because Postgres would quote, reserve or cut a name with it',
  async (prefix) => {
    const { exitCode, stderr } = await runCommand(['migrate', `--roles=${prefix}`]);
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain('Accepted');
  },
);

describe.skipIf(url === '')('on Postgres', () => {
  async function prepare() {
    const own = await createOwnPostgres(url, template);
    const { name, databaseUrl, admin } = own;
    onTestFinished(async () => {
      await admin.query(`drop database ${name} with (force)`);
      for (const service of ['auth', 'content', 'leases'])
        await admin.query(`drop role if exists ${name}_${service}`);
      await admin.end();
    });
    const as = (service: string, password: string) => {
      const address = new URL(databaseUrl);
      address.username = `${name}_${service}`;
      address.password = password;
      return address.toString();
    };
    const open = (service: string, password = '') => {
      const options = { databaseUrl: as(service, password), sqlitePath: '', connectionTimeoutMs: 60_000 };
      const db = openDatabase(options);
      onTestFinished(() => db.destroy());
      return db;
    };
    return { name, databaseUrl, env: { DATABASE_URL: databaseUrl }, as, open };
  }

  test('migrate --roles says which roles it made and what they reach, shows no password, and can be run again', async () => {
    const { name, env, open } = await prepare();
    const first = await runCommand(['migrate', `--roles=${name}`], { env: { ...env, ...passwords } });
    expect(first.exitCode).toBe(0);
    expect(first.stdout).toMatch(
      new RegExp(
        `Role ${name}_leases was made with the password of LEASES_DATABASE_PASSWORD\\. It reaches .*leases`,
      ),
    );
    for (const password of Object.values(passwords))
      expect(first.stdout + first.stderr).not.toContain(password);
    const again = await runCommand(['migrate', `--roles=${name}`], { env });
    expect(again.exitCode).toBe(0);
    expect(again.stdout).toContain(`Role ${name}_auth already exists and keeps its password`);
    const db = open('leases', passwords.LEASES_DATABASE_PASSWORD);
    await expect(db.selectFrom('api_keys').select('key_hash').execute()).rejects.toMatchObject({
      code: '42501',
    });
    expect(await db.selectFrom('leases').select('id').execute()).toEqual([]);
  });

  test('the commands of docs/operate/database-roles.md make the roles with the passwords of roles.env', async () => {
    const { name, databaseUrl, open } = await prepare();
    const block = findBlock(
      readBlocks(readDocument('docs/operate/database-roles.md')),
      'sh',
      'migrate --roles',
    );
    const cwd = temporaryFolder();
    makeClone(cwd);
    // The roles of other tests are on the same server.
    const adapted = block
      .replace('postgres://owner:…@db/latchkey', `'${databaseUrl}'`)
      .replace('--roles', `--roles=${name}`);
    expect(await runBlock(adapted, { cwd, env: { PATH: process.env.PATH, HOME: cwd } })).toContain(
      `Role ${name}_leases was made with the password of LEASES_DATABASE_PASSWORD`,
    );
    const made = parseEnv(readFileSync(join(cwd, 'roles.env'), 'utf8'));
    expect(Object.keys(made)).toEqual(Object.keys(passwords));
    const db = open('auth', made.AUTH_DATABASE_PASSWORD);
    expect(await db.selectFrom('api_keys').select('key_hash').execute()).toEqual([]);
  });

  test('doctor warns of one role for all separate services in production, and not of the role of one service', async () => {
    const { name, env, as } = await prepare();
    await runCommand(['migrate', `--roles=${name}`], { env: { ...env, ...passwords } });
    const separate = { NODE_ENV: 'production', INTERNAL_SECRET: 'f'.repeat(64) };
    const shared = await runCommand(['doctor'], { env: { ...env, ...separate } });
    expect(shared.stdout).toContain('is reached by one role that sees the tables of all services');
    const leases = as('leases', passwords.LEASES_DATABASE_PASSWORD);
    const apart = await runCommand(['doctor'], { env: { ...separate, DATABASE_URL: leases } });
    expect(apart.stdout).toContain('is reached by a role that does not see every table');
    expect(apart.stdout).not.toMatch(/one role|permission denied|cannot be opened/);
    const alone = await runCommand(['doctor'], { env: { ...env, NODE_ENV: 'production' } });
    expect(alone.stdout).not.toContain('one role');
  });
});
