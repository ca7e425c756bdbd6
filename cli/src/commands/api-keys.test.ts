import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashCredential } from '@latchkey/shared/auth';
import { openDatabase } from '@latchkey/shared/db';
import { describe, expect, test } from 'vitest';
import { runCommand } from '../testing/run-command.ts';
import { createFileMaker, damageTable, withFile } from '../testing/sqlite-file.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';

const makeFile = createFileMaker();

describe('latchkey migrate', () => {
  test('migrate makes a database, and a second run changes nothing', async () => {
    const path = join(temporaryFolder(), 'latchkey.db');
    const made = await runCommand(['migrate'], { env: { SQLITE_PATH: path } });
    expect([made.exitCode, made.stdout]).toEqual([0, expect.stringContaining('brought up to date: 0001')]);
    const { exitCode, stdout } = await runCommand(['migrate'], { env: { SQLITE_PATH: path } });
    expect([exitCode, stdout]).toEqual([0, `SQLite at ${path} is up to date\n`]);
  });

  test('migrate leaves a database of a newer release unchanged, says so and exits 0', async () => {
    const { path, env } = await makeFile();
    const schema = () =>
      withFile(path, (file) => file.prepare('SELECT sql FROM sqlite_master ORDER BY name').all());
    withFile(path, (file) =>
      file.exec("INSERT INTO kysely_migration (name, timestamp) VALUES ('9001-newer', '2099-01-01')"),
    );
    const before = schema();
    const { exitCode, stdout } = await runCommand(['migrate'], { env });
    expect([exitCode, stdout]).toEqual([
      0,
      `SQLite at ${path} is newer than this version, which does not know 9001-newer. Nothing was changed.\n`,
    ]);
    expect(schema()).toEqual(before);
  });
});

describe('a SQLITE_PATH that cannot be used is named, with what is accepted', () => {
  test.each([
    ['below a file', 'file/latchkey.db', ['migrate'], 'which lies below a file'],
    ['another kind of file', 'file', ['migrate'], 'which is a file of another kind'],
    ['a folder', '.', ['api-keys', 'create', '--name', 'rescue'], 'which is a folder'],
  ])('a SQLITE_PATH that is %s is refused by name, with what is accepted', async (_, place, args, what) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'file'), 'this is no database, and long enough to be sure of it '.repeat(50));
    const path = join(folder, place);
    const { exitCode, stderr } = await runCommand(args, { env: { SQLITE_PATH: path } });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`latchkey: SQLITE_PATH is "${path}", ${what}`);
    expect(stderr).toContain('Accepted: the path of a SQLite database');
  });

  test('a damage of the file that shows only during the work names SQLITE_PATH and exits 1', async () => {
    const { path, env } = await makeFile();
    damageTable(path, 'change_counter');
    const { exitCode, stderr } = await runCommand(['api-keys', 'create', '--name', 'rescue'], { env });
    expect(stderr).toMatch(/^latchkey: SQLITE_PATH is ".*", which cannot be used: .*SQLITE_CORRUPT/);
    expect(exitCode).toBe(1);
  });
});

describe('latchkey api-keys create', () => {
  test('api-keys create stores only the hash, prints the key once, and writes an audit row of the operator and a change for running servers', async () => {
    const { path, env } = await makeFile();
    const args = ['api-keys', 'create', '--name', ' rescue '];
    const { exitCode, stdout, stderr } = await runCommand(args, { env });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^lk_[0-9a-f]{64}\n$/);
    expect(stderr).not.toContain(stdout.trim());
    const db = openDatabase({ sqlitePath: path });
    const [key] = await db.selectFrom('api_keys').selectAll().execute();
    expect(key).toMatchObject({
      name: 'rescue',
      scope: 'admin',
      expires_at: null,
      key_hash: hashCredential(stdout.trim()),
    });
    const audit = await db.selectFrom('audit').selectAll().execute();
    expect(audit).toMatchObject([
      { action: 'api-key.create', actor_kind: 'operator', target: key?.id, outcome: 'done' },
    ]);
    const changes = await db.selectFrom('changes').selectAll().execute();
    expect(changes.map(({ number }) => number)).toEqual([1]);
    await db.destroy();
  });

  test('api-keys create makes a key of some contents', async () => {
    const { path, env } = await makeFile();
    const options = ['--name', 'tenant', '--scope', 'full', '--contents', 'film, acme-*'];
    const { exitCode, stderr } = await runCommand(['api-keys', 'create', ...options], { env });
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('Made full key')]);
    const db = openDatabase({ sqlitePath: path });
    const [key] = await db.selectFrom('api_keys').selectAll().execute();
    expect(key).toMatchObject({ scope: 'limited-full', contents: '["film","acme-*"]' });
    await db.destroy();
  });

  test('api-keys create does not make a missing database', async () => {
    const { exitCode, stderr } = await runCommand(['api-keys', 'create', '--name', 'x'], {
      env: { SQLITE_PATH: join(temporaryFolder(), 'elsewhere.db') },
    });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('SQLITE_PATH');
  });

  test.each([
    ['an unknown scope', ['--scope', 'root'], 'admin'],
    ['a time that is past', ['--expires-at', '2001-01-01T00:00:00Z'], 'future'],
    ['a time without its offset', ['--expires-at', '2031-01-01T00:00:00'], '--expires-at'],
    ['a name of blanks', ['--name', '  '], '1 to 200'],
    ['contents that are no ids', ['--contents', 'film,a/b'], 'prefixes such as acme-*'],
    ['no contents', ['--contents', ''], 'prefixes such as acme-*'],
    ['more contents than a key may have', ['--contents', `${'a,'.repeat(50)}a`], '1 to 50'],
  ])('api-keys create refuses %s and names the accepted form', async (_, options, word) => {
    const { env } = await makeFile();
    const args = ['api-keys', 'create', '--name', 'x', ...options];
    const { exitCode, stderr, stdout } = await runCommand(args, { env });
    expect(exitCode).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain(word);
  });
});
