import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '@latchkey/shared/db';
import { expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../testing/run-command.ts';
import { createFileMaker, damageTable, withFile } from '../testing/sqlite-file.ts';

const makeFile = createFileMaker();
async function makeDatabase() {
  const made = await makeFile();
  return { ...made, copy: join(made.folder, 'copy.db') };
}

const mark = (viewer: string) => ({ viewer_id: viewer, content_id: 'film', marked_at: 1_000 });

test('backup copies the rows of one instant into one file that only its owner reads, while the database is open and written', async () => {
  const { folder, path, env, copy } = await makeDatabase();
  const db = openDatabase({ sqlitePath: path });
  onTestFinished(() => db.destroy());
  await db.insertInto('marks').values(mark('before')).execute();
  const writing = new AbortController();
  const written = (async () => {
    for (let n = 0; !writing.signal.aborted; n++) {
      // Two rows in one transaction: a copy of two instants could hold one of them.
      await db
        .insertInto('marks')
        .values([mark(`a${n}`), mark(`b${n}`)])
        .execute();
      await new Promise(setImmediate);
    }
  })();
  const { exitCode, stdout } = await runCommand(['backup', copy], { env });
  writing.abort();
  await written;
  expect(exitCode).toBe(0);
  expect(stdout).toContain('passed the check');
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  const rows = withFile(copy, (file) => file.prepare('select viewer_id as id from marks').all()) as {
    id: string;
  }[];
  const ids = new Set(rows.map(({ id }) => id));
  expect(ids.has('before')).toBe(true);
  for (const id of ids) if (id.startsWith('a')) expect(ids).toContain(`b${id.slice(1)}`);
  expect(stdout).toContain(`${rows.length} marks`);
  expect(readdirSync(folder).filter((name) => name.startsWith('copy') || name.includes('partial'))).toEqual([
    'copy.db',
  ]);
});

test('backup takes no place of an existing file, and leaves it unchanged', async () => {
  const { env, copy } = await makeDatabase();
  writeFileSync(copy, 'precious');
  const { exitCode, stderr } = await runCommand(['backup', copy], { env });
  expect(exitCode).toBe(2);
  expect(stderr).toContain('exists already');
  expect(readFileSync(copy, 'utf8')).toBe('precious');
});

test('backup does not use the unfinished copy of another run, and says which file that is', async () => {
  const { folder, env, copy } = await makeDatabase();
  const unfinished = join(folder, '.copy.db.partial');
  writeFileSync(unfinished, 'half');
  const { exitCode, stderr } = await runCommand(['backup', copy], { env });
  expect(exitCode).toBe(2);
  expect(stderr).toContain(unfinished);
  expect(readFileSync(unfinished, 'utf8')).toBe('half');
});

test('backup of a damaged file fails, reports the damage, and leaves no copy', async () => {
  const { folder, path, env, copy } = await makeDatabase();
  damageTable(path, 'leases');
  const { exitCode, stderr } = await runCommand(['backup', copy], { env });
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringMatching(/latchkey\.db cannot be backed up: it is damaged/),
  ]);
  expect(readdirSync(folder).filter((name) => name.includes('copy'))).toEqual([]);
});

test('a backup that is interrupted leaves nothing', async () => {
  const { folder, env, copy } = await makeDatabase();
  const { exitCode } = await runCommand(['backup', copy], {
    env,
    signal: AbortSignal.abort(new Error('interrupted')),
  });
  expect(exitCode).toBe(1);
  expect(readdirSync(folder).filter((name) => name.includes('copy'))).toEqual([]);
});

test('backup and restore refuse a Postgres by the name of the variable, and name the tool', async () => {
  const env = { DATABASE_URL: 'postgres://localhost/latchkey' };
  for (const [command, tool] of [
    ['backup', 'pg_dump'],
    ['restore', 'pg_restore'],
  ] as const) {
    const { exitCode, stderr } = await runCommand([command, 'x.db'], { env });
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining(`DATABASE_URL names a Postgres. Use ${tool}`),
    ]);
  }
  expect(existsSync('x.db')).toBe(false);
});
