import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCommand } from '../testing/run-command.ts';
import { createFileMaker, withFile } from '../testing/sqlite-file.ts';

const makeFile = createFileMaker();
const refusal =
  /The database has the schema 0018-audit-readers of a version before 0\.3\.0.*docs\/operate\/upgrade\.md#from-a-version-before-030/;

/** A database with the migrations of the last unreleased version. */
async function makeUnreleased() {
  const made = await makeFile();
  withFile(made.path, (file) => {
    file.exec("delete from kysely_migration where name <> '0001-baseline'");
    file.exec("update kysely_migration set name = '0001-initial'");
    file.exec("insert into kysely_migration (name, timestamp) values ('0018-audit-readers', '2026-11-01')");
  });
  return made;
}

test.each([
  [['migrate'], ''],
  [['api-keys', 'create', '--name', 'rescue'], ''],
  [['backup', 'FOLDER/backup.db'], 'cannot be backed up'],
])(
  'latchkey %j on a database of an unreleased version is refused with what to do, and changes nothing',
  async ([...args], words) => {
    const { folder, path, env } = await makeUnreleased();
    const before = readFileSync(path);
    const command = args.map((word) => word.replace('FOLDER', folder));
    const { exitCode, stdout, stderr } = await runCommand(command, { env });
    expect([exitCode, stdout, stderr]).toEqual([1, '', expect.stringMatching(refusal)]);
    expect(stderr).toContain(words);
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(readdirSync(folder)).not.toContain('backup.db');
  },
);

test('latchkey doctor reports a database of an unreleased version as wrong, and explains what to do', async () => {
  const { env } = await makeUnreleased();
  const { exitCode, stdout } = await runCommand(['doctor'], { env: { ...env, PORT: '0' } });
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(new RegExp(`WRONG +SQLITE_PATH .*${refusal.source}`));
});

test('latchkey restore refuses a backup of an unreleased version, and leaves the database as it is', async () => {
  const { folder, path: old } = await makeUnreleased();
  const backup = join(folder, 'backup.db');
  copyFileSync(old, backup);
  const { folder: own, path, env } = await makeFile();
  withFile(path, (file) => file.exec("insert into marks values ('ann', 'film', 1)"));
  const { exitCode, stderr } = await runCommand(['restore', backup], { env });
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(
    new RegExp(`backup\\.db cannot be restored: ${refusal.source}.*Nothing was changed`),
  );
  const marks = withFile(path, (file) => file.prepare('select viewer_id from marks').all());
  expect(marks).toEqual([{ viewer_id: 'ann' }]);
  expect(readdirSync(own)).toEqual(['latchkey.db']);
});
