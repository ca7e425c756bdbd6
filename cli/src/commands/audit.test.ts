import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAuditSealer } from '@latchkey/shared/audit';
import { type Database, openDatabase } from '@latchkey/shared/db';
import { createManualClock } from '@latchkey/shared/testing';
import { expect, onTestFinished, test } from 'vitest';
import { createFileMaker } from '../testing/migrated-file.ts';
import { runCommand } from '../testing/run-command.ts';

const secret = 'a secret of thirty-two characters.';
const clock = createManualClock();
const makeFile = createFileMaker();

async function openAudit(rows: number) {
  const { folder, path } = await makeFile();
  const db = openDatabase({ sqlitePath: path });
  onTestFinished(() => db.destroy());
  await add(db, rows);
  const run = (args: string[], env = {}) =>
    runCommand(['audit', ...args], { env: { SQLITE_PATH: path, ...env } });
  return { db, folder, run };
}

async function add(db: Database, rows: number): Promise<void> {
  const values = Array.from({ length: rows }, (_, n) => ({
    at: clock.now() + n * 1_000,
    actor_kind: 'api-key',
    actor_id: 'k',
    action: 'content.register',
    target: `film-${n}`,
    outcome: 'done',
  }));
  await db
    .insertInto('audit')
    .values(values as never)
    .execute();
  await createAuditSealer({ db, clock, secret: Buffer.from(secret) }).run();
}

test('latchkey audit verify prints an anchor for each chain, accepts it later, and exits 1 once a row was changed', async () => {
  const { db, folder, run } = await openAudit(3);
  const env = { AUDIT_CHAIN_SECRET: secret };
  const first = await run(['verify'], env);
  expect([first.exitCode, first.stdout]).toEqual([
    0,
    expect.stringMatching(/^acts:3:[0-9a-f]{64}\nrefusals:0:\nstrangers:0:\n$/),
  ]);
  writeFileSync(join(folder, 'anchors'), first.stdout);
  await add(db, 1);
  const again = await run(['verify', '--expect-file', join(folder, 'anchors')], env);
  expect([again.exitCode, again.stderr]).toEqual([0, expect.stringContaining('acts: 4 places checked')]);
  await db.updateTable('audit').set({ actor_id: 'someone else' }).where('target', '=', 'film-1').execute();
  const changed = await run(['verify'], env);
  expect([changed.exitCode, changed.stderr]).toEqual([
    1,
    expect.stringContaining('chain acts: row 2 is not as it was chained (place 2)'),
  ]);
});

test('latchkey audit verify says what it does not find: a chain that was written anew as a whole without the secret', async () => {
  const { db, run } = await openAudit(3);
  const env = { AUDIT_CHAIN_SECRET: secret };
  const before = await run(['verify'], env);
  expect([before.exitCode, before.stderr]).toEqual([0, expect.not.stringContaining('without the secret')]);
  await db.updateTable('audit').set({ actor_id: 'someone else' }).execute();
  await db.deleteFrom('audit_entries').execute();
  await db.updateTable('audit_chains').set({ place: 0, hash: '' }).execute();
  await db.updateTable('audit_sealing').set({ sealed_to: 0 }).execute();
  await createAuditSealer({ db, clock, secret: null }).run();
  const { exitCode, stderr } = await run(['verify'], env);
  expect(exitCode).toBe(0);
  expect(stderr).toContain('acts: 3 places checked; 3 of them without the secret.');
  expect(stderr).toContain('written anew as a whole without the secret: 3 places are like that');
  const withoutSecret = await run(['verify']);
  expect(withoutSecret.stderr).toContain(
    'written anew as a whole without the secret: 3 places are like that',
  );
  const anchored = await run(['verify', '--expect', ...before.stdout.trim().split('\n')], env);
  expect([anchored.exitCode, anchored.stderr]).toEqual([
    1,
    expect.stringContaining('had another hash before'),
  ]);
});

test('latchkey audit verify refuses a text that is no anchor, and names the form', async () => {
  const { run } = await openAudit(1);
  const { exitCode, stderr } = await run(['verify', '--expect', 'acts:1:short']);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('Accepted: chain:place:hash')]);
});

test('latchkey audit export writes JSON lines of the time that was asked for, which verify takes as anchors, and leaves a row', async () => {
  // A page has 1,000 rows.
  const { db, folder, run } = await openAudit(1_100);
  const [since, until] = ['2026-01-01T00:00:01Z', '2026-01-01T00:17:00Z'];
  const { exitCode, stdout } = await run(['export', '--since', since, '--until', until]);
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect([exitCode, lines.length]).toEqual([0, 1_019]);
  expect([lines[0].target, lines.at(-1).target, lines.at(-1).place]).toEqual(['film-1', 'film-1019', 1_020]);
  const row = await db
    .selectFrom('audit')
    .select(['action', 'actor_kind', 'target'])
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  expect(row).toEqual({
    action: 'audit.export',
    actor_kind: 'operator',
    target: 'format=jsonl from=2026-01-01T00:00:01.000Z to=2026-01-01T00:17:00.000Z',
  });
  writeFileSync(join(folder, 'export.jsonl'), stdout);
  await db.deleteFrom('audit_entries').where('place', '>', 1_000).execute();
  await db.updateTable('audit_chains').set({ place: 1_000 }).where('chain', '=', 'acts').execute();
  const cut = await run(['verify', '--expect-file', join(folder, 'export.jsonl')], {
    AUDIT_CHAIN_SECRET: secret,
  });
  expect([cut.exitCode, cut.stderr]).toEqual([1, expect.stringContaining('its end was removed')]);
});
