import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '@latchkey/shared/db';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../testing/run-command.ts';
import { createFileMaker, withFile } from '../testing/sqlite-file.ts';

const makeFile = createFileMaker();

/** A database with a change of this time, a copy of it, and then a row that the copy does not have. */
async function makeCopy() {
  const { folder, path, env } = await makeFile();
  const copy = join(folder, 'copy.db');
  withFile(path, (file) => {
    file.exec("insert into changes (number, at, id, change) values (1, 1790000000000, 'a', '{}')");
    file.exec("update change_counter set number = 1, history = 'old'");
  });
  const { exitCode } = await runCommand(['backup', copy], { env });
  expect(exitCode).toBe(0);
  withFile(path, (file) => file.exec("insert into marks values ('ann', 'film', 1)"));
  return { folder, path, env, copy, restore: () => runCommand(['restore', copy], { env }) };
}

const countMarks = (path: string) =>
  withFile(path, (file) => file.prepare('select count(*) as count from marks').get()?.count);
/** The file of before, and what a run that failed would leave. */
const leftIn = (folder: string) => readdirSync(folder).filter((name) => /partial|before/.test(name));
const historyOf = (path: string) =>
  withFile(path, (file) => file.prepare('select history from change_counter').get()?.history);

describe('latchkey restore', () => {
  test('restore puts the copy in place with a new history, keeps the old file, and names the time from which revocations are missing', async () => {
    const { folder, path, copy, restore } = await makeCopy();
    const before = readFileSync(copy);
    const { exitCode, stdout, stderr, waits } = await restore();
    expect([exitCode, countMarks(path)]).toEqual([0, 0]);
    const [kept = ''] = leftIn(folder);
    expect(stdout).toContain(kept);
    expect(countMarks(join(folder, kept))).toBe(1);
    expect(historyOf(path)).toMatch(/^[0-9a-f]{32}$/);
    expect(stdout).toContain(`--since ${new Date(1_790_000_000_000 - 60_000).toISOString()}`);
    expect(stderr).toContain('counts as never revoked');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(copy).equals(before)).toBe(true);
    // The lock on the old file is held for longer than a server waits for it.
    expect(waits).toEqual([3]);
  });

  test('two restores of one copy give two histories, so that a process that saw the first drops what it knows', async () => {
    const { path, restore } = await makeCopy();
    await restore();
    const first = historyOf(path);
    rmSync(path);
    await restore();
    expect(historyOf(path)).not.toBe(first);
  });

  test('restore refuses while the database is open, also when nothing happens on it, and changes nothing', async () => {
    const { folder, path, restore } = await makeCopy();
    const db = openDatabase({ sqlitePath: path });
    onTestFinished(() => db.destroy());
    await db.selectFrom('marks').selectAll().execute();
    const { exitCode, stderr } = await restore();
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('a server runs on')]);
    expect((await db.selectFrom('marks').selectAll().execute()).length).toBe(1);
    expect(leftIn(folder)).toEqual([]);
  });

  test('restore works where the disk was lost, and where only a log was left, which it keeps from the new file', async () => {
    const { folder, path, restore } = await makeCopy();
    rmSync(path);
    writeFileSync(`${path}-wal`, 'of the lost file');
    const { exitCode } = await restore();
    expect([exitCode, countMarks(path), existsSync(`${path}-wal`)]).toEqual([0, 0, false]);
    const [kept = ''] = readdirSync(folder).filter((name) => name.endsWith('-wal'));
    expect(readFileSync(join(folder, kept), 'utf8')).toBe('of the lost file');
  });

  test('restore replaces a file that is damaged, and keeps it as it is', async () => {
    const { folder, path, restore } = await makeCopy();
    const damaged = Buffer.alloc(8_192, 'damaged ');
    writeFileSync(path, damaged);
    const { exitCode } = await restore();
    expect([exitCode, countMarks(path)]).toEqual([0, 0]);
    const [kept = ''] = leftIn(folder);
    expect(readFileSync(join(folder, kept)).equals(damaged)).toBe(true);
  });

  test.each([
    ['a file of another kind', () => Buffer.from('no database '.repeat(1_000)), 'no SQLite database'],
    ['a copy that was cut off', (copy: Buffer) => copy.subarray(0, copy.length - 4_096), 'damaged'],
    [
      'a copy with a damaged page',
      (copy: Buffer) => Buffer.from(copy).fill(0x55, 4_096 * 3, 4_096 * 4),
      'damaged',
    ],
  ])('restore refuses %s and changes nothing', async (_, spoil, word) => {
    const { folder, path, copy, restore } = await makeCopy();
    writeFileSync(copy, spoil(readFileSync(copy)));
    const { exitCode, stderr } = await restore();
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(word)]);
    expect([countMarks(path), historyOf(path)]).toEqual([1, 'old']);
    expect(leftIn(folder)).toEqual([]);
  });

  test('restore refuses a SQLite file of another program', async () => {
    const { folder, env, path } = await makeCopy();
    const other = join(folder, 'other.db');
    withFile(other, (file) => file.exec('create table notes (text)'));
    const { exitCode, stderr } = await runCommand(['restore', other], { env });
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('no database of Latchkey')]);
    expect(countMarks(path)).toBe(1);
  });
});
