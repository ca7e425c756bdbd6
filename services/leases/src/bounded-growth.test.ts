import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, migrate, openDatabase } from '@latchkey/shared/db';
import { createManualClock } from '@latchkey/shared/testing';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { createLeasePurge } from './purge-leases.ts';
import { insertLeases } from './stored-leases.fixture.ts';

const hourMs = 3_600_000;
/** `LEASES_PER_HOUR=700` makes it six days with 100,800 leases in all, as docs/operate/retention.md says. */
const { LEASES_PER_HOUR: asked } = process.env;
const days = asked ? 6 : 3;
const leasesPerHour = Number(asked ?? 100);

async function openFile(): Promise<Database> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-growth-'));
  const db = openDatabase({ sqlitePath: join(folder, 'latchkey.db') });
  onTestFinished(async () => {
    await db.destroy();
    rmSync(folder, { recursive: true });
  });
  await migrate(db);
  return db;
}

/** Leases of five minutes. Every fifth is revoked: with a mark, and a row of the feed. */
async function addLeases(db: Database, now: number): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const leases = await insertLeases(tx, leasesPerHour, (n) => ({
      viewer_id: `viewer-${randomUUID()}`,
      content_id: `film-${n}`,
      created_at: now,
      expires_at: now + 300_000,
      revoked_at: n % 5 === 0 ? now : null,
    }));
    const revoked = leases.filter(({ revoked_at: at }) => at !== null);
    const marks = revoked.map(({ viewer_id, content_id }) => ({ viewer_id, content_id, marked_at: now }));
    await tx.insertInto('marks').values(marks).execute();
    const { number } = await tx.selectFrom('change_counter').select('number').executeTakeFirstOrThrow();
    const changes = revoked.map((_, n) => ({
      number: number + n + 1,
      at: now,
      id: String(n),
      change: 'x'.repeat(100),
    }));
    await tx.insertInto('changes').values(changes).execute();
    await tx
      .updateTable('change_counter')
      .set({ number: number + changes.length })
      .execute();
  });
}

async function measure(db: Database) {
  const { rows } = await sql<{ leases: number; marks: number; changes: number; pages: number }>`
    select (select count(*) from leases) as leases, (select count(*) from marks) as marks,
      (select count(*) from changes) as changes, (select page_count from pragma_page_count) as pages`.execute(
    db,
  );
  const [size] = rows;
  if (!size) throw new Error('no sizes');
  return size;
}

test('leases that end every hour do not grow the SQLite file: after the days that are kept, rows and pages stay as they are', async () => {
  const db = await openFile();
  const clock = createManualClock();
  const purge = createLeasePurge({
    db,
    clock,
    signal: new AbortController().signal,
    renewGraceSeconds: 30,
    keepHours: 24,
    changesKeepMinutes: 60,
    marksKeptMs: 86_420_000,
  });
  const sizes: Awaited<ReturnType<typeof measure>>[] = [];
  for (let hour = 1; hour <= days * 24; hour++) {
    await addLeases(db, clock.now());
    clock.advance(hourMs);
    await purge.run();
    if (hour % 24 === 0) sizes.push(await measure(db));
  }
  if (asked) process.stdout.write(`${JSON.stringify(sizes)}\n`);
  const [, second, ...later] = sizes;
  expect(second?.leases).toBeLessThanOrEqual(26 * leasesPerHour);
  for (const size of later) {
    expect({ ...size, pages: 0 }).toEqual({ ...second, pages: 0 });
    // Pages of an index are filled anew, not grown: a tenth more is what their splits take.
    expect(size.pages).toBeLessThanOrEqual((second?.pages ?? 0) * 1.1);
  }
}, 600_000);
