import { parseSid } from '@latchkey/shared/contracts';
import { inTransaction } from '@latchkey/shared/db';
import { claimIds } from '@latchkey/shared/idempotency';
import { databaseKinds } from '@latchkey/shared/testing';
import { describe, expect, test } from 'vitest';
import { type LeaseFixture, openLeases, rawKeys } from '../lease.fixture.ts';
import { openForEachTest } from '../stored-leases.fixture.ts';

const key = 'key-of-a-test';
const table = 'lease_idempotency_keys';
const many = Array.from({ length: 40 }, (_, n) => n);

describe.each(databaseKinds(process.env))('leases with an Idempotency-Key, on $name', (kind) => {
  const database = openForEachTest(kind);
  const create = (
    leases: LeaseFixture,
    viewerId: string,
    { path = 'leases', ...body }: { path?: string } = {},
  ) =>
    leases.ask(
      'POST',
      `/keys/${path}`,
      leases.tokenOf(viewerId),
      { contentId: 'film', ...body },
      {
        'idempotency-key': key,
      },
    );
  const rows = (name: 'leases' | typeof table) => database.db.selectFrom(name).selectAll().execute();

  test('requests with one key in two processes at the same time make one lease, and keyed requests of others are not disturbed', async () => {
    const processes = [await openLeases(database.db), await openLeases(database.db)];
    const answers = await Promise.all(
      many.flatMap((n) =>
        processes.flatMap((each) => [create(each, 'ann'), create(each, `v${n % 5}`), create(each, `w${n}`)]),
      ),
    );
    const viewers = ['ann', ...many.slice(0, 5).map((n) => `v${n}`), ...many.map((n) => `w${n}`)];
    const stored = await rows('leases');
    expect(stored.map(({ viewer_id }) => viewer_id).sort()).toEqual(viewers.sort());
    expect(await rows(table)).toHaveLength(viewers.length);
    const made = answers.filter(({ status, headers }) => status === 201 && !headers['idempotent-replayed']);
    expect(made).toHaveLength(viewers.length);
    for (const { status, body } of answers) {
      if (status !== 201) expect(body.code).toBe('IDEMPOTENCY_KEY_IN_USE');
      else expect(stored.map(({ id }) => id)).toContain(body.lease.id);
    }
    for (const viewer of viewers)
      for (const each of processes)
        expect((await create(each, viewer)).headers['idempotent-replayed']).toBe('true');
  });

  test('of creations in one transaction, one whose key another process has gets 409 at once, and the others their leases', async () => {
    if (kind.name === 'SQLite') return;
    const leases = await openLeases(database.db);
    await create(leases, 'ann');
    const [{ id = '' } = {}] = await rows(table);
    await database.db.deleteFrom(table).execute();
    const [claimed, end] = [Promise.withResolvers<boolean[]>(), Promise.withResolvers<void>()];
    const other = inTransaction(database.db, async (tx) => {
      claimed.resolve(await claimIds(tx, table, [id], leases.clock.now()));
      await end.promise;
    });
    expect(await claimed.promise).toEqual([true]);
    const answers = await Promise.all(
      ['ann', ...many.map((n) => `v${n}`)].map((viewer) => create(leases, viewer)),
    );
    end.resolve();
    await other;
    expect(answers.map(({ status }) => status)).toEqual([409, ...many.map(() => 201)]);
    expect((await create(leases, 'ann')).status).toBe(201);
  });

  test('a refused creation keeps no answer, and no act of a viewer that has the key keeps one for another', async () => {
    const leases = await openLeases(database.db, { rules: { maxPerViewer: 1 } });
    await leases.ask('POST', '/keys/leases', rawKeys.full, { contentId: 'film', viewerId: 'ann' });
    const [refused, other] = await Promise.all([create(leases, 'ann'), create(leases, 'bob')]);
    expect([refused?.body.code, other?.status]).toEqual(['LEASE_LIMIT_REACHED', 201]);
    expect(await rows(table)).toHaveLength(1);
    await leases.ask('POST', '/keys/leases/revoke', rawKeys.full, { viewerId: 'ann' });
    leases.clock.advance(20_000);
    expect((await create(leases, 'ann')).status).toBe(201);
  });

  test('the answer that is kept of a session has neither its id nor its URL, and no row has the key or a token', async () => {
    const leases = await openLeases(database.db);
    const { body } = await create(leases, 'ann', { path: 'sessions' });
    const { id } = body.session;
    expect(parseSid(id)?.leaseId).toBe(body.lease.id);
    const [row] = await rows(table);
    expect(JSON.parse(row?.answer ?? '')).toEqual({
      ...body,
      url: null,
      session: { ...body.session, id: null },
    });
    for (const secret of [id.slice(-20), key, leases.tokenOf('ann')])
      expect(JSON.stringify(row)).not.toContain(secret);
    const { body: repeated } = await create(leases, 'ann', { path: 'sessions' });
    expect([repeated.url, repeated.session.id, repeated.lease.id]).toEqual([null, null, body.lease.id]);
  });
});
