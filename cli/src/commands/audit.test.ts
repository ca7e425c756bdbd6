import { openDatabase } from '@latchkey/shared/db';
import { createManualClock } from '@latchkey/shared/testing';
import { expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../testing/run-command.ts';
import { createFileMaker } from '../testing/sqlite-file.ts';

const clock = createManualClock();
const makeFile = createFileMaker();

async function openAudit(rows: number) {
  const { path, env } = await makeFile();
  const db = openDatabase({ sqlitePath: path });
  onTestFinished(() => db.destroy());
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
  const run = (args: string[]) => runCommand(['audit', ...args], { env });
  return { db, run };
}

test('latchkey audit export writes JSON lines of the time that was asked for, and leaves a row', async () => {
  // A page has 1,000 rows.
  const { db, run } = await openAudit(1_100);
  const [since, until] = ['2026-01-01T00:00:01Z', '2026-01-01T00:17:00Z'];
  const { exitCode, stdout } = await run(['export', '--since', since, '--until', until]);
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect([exitCode, lines.length]).toEqual([0, 1_019]);
  expect([lines[0].target, lines.at(-1).target, lines.at(-1).id]).toEqual(['film-1', 'film-1019', '1020']);
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
});
