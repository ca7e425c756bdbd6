import { findMarkState } from '@latchkey/shared/db';
import { createManualClock, databaseKinds } from '@latchkey/shared/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { BlockStore } from './block-store.ts';
import { marksKeptMs } from './config.ts';
import { MarkStore } from './mark-store.ts';
import { createLeasePurge } from './purge-leases.ts';
import { insertLeases, openForEachTest } from './stored-leases.fixture.ts';

const daySeconds = 86_400;
const tokens = { authJwtMaxAgeSeconds: daySeconds, authJwtClockToleranceSeconds: 10 };

describe.each(databaseKinds(process.env))('the purge on $name', (kind) => {
  const clock = createManualClock();
  const database = openForEachTest(kind);
  let purge: ReturnType<typeof createLeasePurge>;

  const makePurge = (authJwtRequireIat = true) =>
    createLeasePurge({
      db: database.db,
      clock,
      signal: new AbortController().signal,
      renewGraceSeconds: 30,
      keepHours: 24,
      changesKeepMinutes: 60,
      marksKeptMs: marksKeptMs({ ...tokens, authJwtRequireIat }),
    });
  beforeEach(() => {
    purge = makePurge();
  });

  const addLeases = (count: number, expiresAt: number) =>
    insertLeases(database.db, count, () => ({ created_at: expiresAt - 300_000, expires_at: expiresAt }));

  it('the purge keeps a lease for a day after its grace, and a mark for as long as a token can be accepted', async () => {
    const marks = new MarkStore(database.db);
    await addLeases(1, clock.now());
    await marks.mark({ viewerId: 'ann', contentId: null }, clock.now());
    clock.advance((daySeconds + 2 * 10) * 1_000);
    expect(await purge.run()).toMatchObject({ leases: 0, marks: 0 });
    clock.advance(1);
    expect(await purge.run()).toMatchObject({ leases: 0, marks: 1 });
    clock.advance(10_000);
    expect(await purge.run()).toMatchObject({ leases: 1, marks: 0 });
  });

  it('the purge keeps a block while it holds and for an hour after its end, and one without an end always', async () => {
    const blocks = new BlockStore(database.db);
    const facts = { blockedAt: clock.now(), reason: null };
    await blocks.put({ ...facts, viewerId: 'ann', until: clock.now() + 60_000 });
    await blocks.put({ ...facts, viewerId: 'bob', until: null });
    clock.advance(3_660_000);
    expect(await purge.run()).toMatchObject({ viewer_blocks: 0 });
    clock.advance(1);
    expect(await purge.run()).toMatchObject({ viewer_blocks: 1 });
    clock.advance(400 * daySeconds * 1_000);
    await purge.run();
    expect(await blocks.find('bob', clock.now())).not.toBeNull();
  });

  it('with AUTH_JWT_REQUIRE_IAT=false the purge keeps every mark, because a token without iat may be older than any', async () => {
    const marks = new MarkStore(database.db);
    await addLeases(1, clock.now());
    await marks.mark({ viewerId: 'ann', contentId: null }, clock.now());
    clock.advance(400 * daySeconds * 1_000);
    expect(await makePurge(false).run()).toMatchObject({ leases: 1, marks: 0 });
    expect(await findMarkState(database.db, 'ann', 'film')).not.toBeNull();
    expect(await purge.run()).toMatchObject({ marks: 1 });
  });

  it('a clock that is two days ahead for a minute removes nothing, also if the server starts meanwhile', async () => {
    const marks = new MarkStore(database.db);
    await purge.run();
    await addLeases(1, clock.now());
    await marks.mark({ viewerId: 'ann', contentId: null }, clock.now());
    await database.db
      .insertInto('changes')
      .values({ number: 1, at: clock.now(), id: 'a', change: '{}' })
      .execute();
    await database.db.updateTable('change_counter').set({ number: 2 }).execute();
    clock.advance(2 * daySeconds * 1_000);
    for (let n = 0; n < 2; n++) {
      expect(await makePurge().run()).toMatchObject({ leases: 0, marks: 0, changes: 0 });
      clock.advance(60_000);
    }
    expect(await findMarkState(database.db, 'ann', 'film')).not.toBeNull();
    for (let hour = 0; hour < 24; hour++) {
      expect(await purge.run()).toMatchObject({ marks: 0 });
      clock.advance(3_600_000);
    }
    expect(await purge.run()).toMatchObject({ leases: 1, marks: 1, changes: 1 });
  });

  it('one run of the purge removes every lease that ended long ago, in short transactions', async () => {
    await addLeases(2_500, clock.now());
    clock.advance((daySeconds + 31) * 1_000);
    expect(await purge.run()).toMatchObject({ leases: 2_500 });
  });

  it('the purge removes what belongs to a session once its lease is gone', async () => {
    await addLeases(1, clock.now());
    const { id } = await database.db.selectFrom('leases').select('id').executeTakeFirstOrThrow();
    const session = { lease_id: id, secret_hash: 'a'.repeat(64), ttl_ms: 1_000, ends_at: clock.now() };
    await database.db.insertInto('sessions').values(session).execute();
    const count = async () => (await database.db.selectFrom('sessions').select('lease_id').execute()).length;
    clock.advance((daySeconds + 30) * 1_000);
    await purge.run();
    expect(await count()).toBe(1);
    clock.advance(1);
    expect(await purge.run()).toMatchObject({ leases: 1 });
    expect(await count()).toBe(0);
  });

  it('the purge removes changes of the feed after an hour', async () => {
    await database.db
      .insertInto('changes')
      .values({ number: 1, at: clock.now(), id: 'a', change: '{}' })
      .execute();
    await database.db.updateTable('change_counter').set({ number: 2 }).execute();
    clock.advance(3_600_000);
    expect(await purge.run()).toMatchObject({ changes: 0 });
    clock.advance(1);
    expect(await purge.run()).toMatchObject({ changes: 1 });
  });
});
