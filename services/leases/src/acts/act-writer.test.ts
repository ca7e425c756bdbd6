import { randomUUID } from 'node:crypto';
import { type Database, isPostgres } from '@latchkey/shared/db';
import { databaseKinds } from '@latchkey/shared/testing';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { type LeaseFixture, openLeases, rawKeys } from '../lease.fixture.ts';
import { viewerSubject } from '../lease-locks.ts';
import { openForEachTest } from '../stored-leases.fixture.ts';

const many = Array.from({ length: 64 }, (_, n) => n);

describe.each(databaseKinds(process.env))('acts on leases at the same time, on $name', (kind) => {
  const database = openForEachTest(kind);
  let transactions: number;

  const counted = (db: Database) =>
    new Proxy(db, {
      get(target, name) {
        if (name === 'transaction') transactions++;
        const value = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  const create = (leases: LeaseFixture, viewerId: string, body: object = {}) =>
    leases.ask('POST', '/keys/leases', leases.tokenOf(viewerId), { contentId: 'film', ...body });
  const renew = (leases: LeaseFixture, viewerId: string, leaseId: string) =>
    leases.ask('POST', '/keys/leases/renew', leases.tokenOf(viewerId), { leaseId });
  const release = (leases: LeaseFixture, viewerId: string, leaseId: string) =>
    leases.ask('POST', '/keys/leases/revoke', leases.tokenOf(viewerId), { leaseId });
  const rows = () => database.db.selectFrom('leases').selectAll().execute();
  /** @returns all changes, which have numbers without a gap and ids of their own, and of which each names the one before it */
  const readChain = async (count: number) => {
    const changes = await database.db.selectFrom('changes').selectAll().orderBy('number').execute();
    const ids = changes.map(({ id }) => id);
    expect(new Set(ids).size).toBe(count);
    expect(changes.map(({ number }) => number)).toEqual(ids.map((_, n) => n + 1));
    expect(changes.map(({ previous }) => previous)).toEqual([null, ...ids.slice(0, -1)]);
    return changes;
  };
  /** From here on the database refuses rows of this viewer. */
  const refuse = (viewerId: string) =>
    isPostgres(database.db)
      ? sql`alter table leases add constraint refused check (viewer_id <> ${sql.lit(viewerId)})`.execute(
          database.db,
        )
      : sql`create trigger refused before insert on leases when new.viewer_id = ${sql.lit(viewerId)}
          begin select raise(abort, 'refused'); end`.execute(database.db);
  /** From here on each commit that wrote a lease fails, as on a full disk. */
  const failCommits = async () => {
    if (!isPostgres(database.db)) return void (await sql`pragma max_page_count = 1`.execute(database.db));
    await sql`create function fail() returns trigger language plpgsql as
      $$ begin raise exception 'full' using errcode = '53100'; end $$`.execute(database.db);
    await sql`create constraint trigger full_disk after insert or update on leases deferrable initially deferred
      for each row execute function fail()`.execute(database.db);
  };

  test('creations, renewals and releases that come at the same time share a few transactions, and each release is the next change of the feed', async () => {
    const leases = await openLeases(counted(database.db));
    transactions = 0;
    const made = await Promise.all(many.map((n) => create(leases, `v${n}`)));
    expect(made.map(({ status }) => status)).toEqual(many.map(() => 201));
    const ids = made.map(({ body }) => body.lease.id);
    leases.clock.advance(1_000);
    const renewed = await Promise.all(many.map((n) => renew(leases, `v${n}`, ids[n])));
    for (const { body } of renewed)
      expect(body.lease.expiresAt).toBe(new Date(leases.clock.now() + 300_000).toISOString());
    const released = await Promise.all(many.map((n) => release(leases, `v${n}`, ids[n])));
    expect(released.map(({ body }) => body.leases[0].id)).toEqual(ids);
    expect(transactions).toBeLessThan(30);
    expect((await rows()).map(({ revoked_by }) => revoked_by)).toEqual(many.map(() => 'viewer'));
    const changes = await readChain(many.length);
    expect(changes.map(({ change }) => JSON.parse(change).leaseId).sort()).toEqual(ids.sort());
    expect(await database.db.selectFrom('audit').selectAll().execute()).toEqual([]);
  });

  test('of 64 creations at the same time one fails at the database, and all others are created', async () => {
    const leases = await openLeases(database.db);
    await refuse('v7');
    const answers = await Promise.all(many.map((n) => create(leases, `v${n}`)));
    expect(answers.map(({ status }) => status)).toEqual(many.map((n) => (n === 7 ? 500 : 201)));
    const stored = (await rows()).map(({ id }) => id).sort();
    expect(stored).toEqual(answers.flatMap(({ body }) => body.lease?.id ?? []).sort());
  });

  test('if the commit of a transaction fails, each of its requests gets 503, and nothing of it is stored', async () => {
    const leases = await openLeases(database.db);
    const large = 'x'.repeat(900);
    await failCommits();
    // Large enough that the pages that there are cannot take them.
    const answers = await Promise.all(many.map((n) => create(leases, `v${n} ${large}`)));
    expect(answers.map(({ status }) => status)).toEqual(many.map(() => 503));
    expect(answers.map(({ headers }) => headers['retry-after'])).toEqual(many.map(() => '1'));
    expect(await rows()).toEqual([]);
  });

  test('a refused creation gets its own answer, and does not disturb the others of its transaction', async () => {
    const leases = await openLeases(database.db, { rules: { maxPerViewer: 1 } });
    await leases.ask('POST', '/keys/leases/revoke', rawKeys.admin, { viewerId: 'revoked' });
    const [full, revoked, unknown, fine] = await Promise.all([
      Promise.all([create(leases, 'full'), create(leases, 'full')]),
      create(leases, 'revoked'),
      release(leases, 'eve', randomUUID()),
      create(leases, 'fine'),
    ]);
    expect(full.map(({ status }) => status)).toEqual([201, 409]);
    expect(full[1]?.body.leases.map(({ id }: { id: string }) => id)).toEqual([full[0]?.body.lease.id]);
    expect(revoked.body.code).toBe('TOKEN_REVOKED');
    expect(unknown.body.code).toBe('LEASE_NOT_FOUND');
    expect(fine.status).toBe(201);
  });

  test('of 320 creations at the same time each viewer gets as many leases as it may have, and each eviction its own change', async () => {
    const leases = await openLeases(database.db, { rules: { maxPerViewer: 2, limitMode: 'evict-oldest' } });
    // The acts of a viewer stand side by side, so that a second transaction has other viewers than the first.
    const answers = await Promise.all(
      many.flatMap((n) => [1, 2, 3, 4, 5].map(() => create(leases, `v${n}`))),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    const stored = await rows();
    expect(stored).toHaveLength(answers.length);
    const active = Map.groupBy(
      stored.filter(({ revoked_at }) => revoked_at === null),
      ({ viewer_id }) => viewer_id,
    );
    expect([...active.values()].map((own) => own.length)).toEqual(many.map(() => 2));
    await readChain(3 * many.length);
  });

  test('creations by an API key at the same time have one audit row each, which names the lease', async () => {
    const leases = await openLeases(database.db);
    const answers = await Promise.all(
      many.map((n) =>
        leases.ask('POST', '/keys/leases', rawKeys.full, { contentId: 'film', viewerId: `v${n}` }),
      ),
    );
    const audit = await database.db.selectFrom('audit').select(['action', 'target', 'outcome']).execute();
    expect(audit.map(({ action, outcome }) => `${action} ${outcome}`)).toEqual(
      many.map(() => 'lease.create done'),
    );
    expect(audit.map(({ target }) => target).sort()).toEqual(answers.map(({ body }) => body.lease.id).sort());
  });

  test('expired leases of one viewer that are renewed at the same time come back up to LEASE_MAX_PER_VIEWER', async () => {
    const leases = await openLeases(database.db);
    const made = await Promise.all([1, 2, 3, 4].map(() => create(leases, 'ann')));
    leases.clock.advance(310_000);
    const limited = await openLeases(database.db, { rules: { maxPerViewer: 2 } });
    limited.clock.advance(310_000);
    const answers = await Promise.all(made.map(({ body }) => renew(limited, 'ann', body.lease.id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 409, 409]);
  });

  test('a lease that two requests renew at the same time, and one that is released twice, are answered to both', async () => {
    const leases = await openLeases(database.db);
    const { body } = await create(leases, 'ann');
    const id = body.lease.id;
    const short = leases.ask('POST', '/keys/leases/renew', leases.tokenOf('ann'), {
      leaseId: id,
      requestedTtlSeconds: 60,
    });
    const renewals = await Promise.all([renew(leases, 'ann', id), short, renew(leases, 'ann', id)]);
    expect(renewals.map((answer) => [answer.status, answer.body.ttl_seconds])).toEqual([
      [200, 300],
      [200, 60],
      [200, 300],
    ]);
    for (const answer of renewals)
      expect(Date.parse(answer.body.lease.expiresAt)).toBe(
        leases.clock.now() + answer.body.ttl_seconds * 1_000,
      );
    const releases = await Promise.all([release(leases, 'ann', id), release(leases, 'ann', id)]);
    expect(releases.map((answer) => answer.body.revoked).sort()).toEqual([0, 1]);
  });

  test('a viewer whose lock another transaction holds waits, and other viewers of the same moment do not', async () => {
    const leases = await openLeases(database.db);
    if (!isPostgres(database.db)) return;
    let delayed: Promise<{ status: number }> | undefined;
    await database.db.transaction().execute(async (tx) => {
      await sql`select pg_advisory_xact_lock(hashtextextended(${viewerSubject('ann')}, 0))`.execute(tx);
      delayed = create(leases, 'ann');
      const others = await Promise.all(many.map((n) => create(leases, `v${n}`)));
      expect(others.map(({ status }) => status)).toEqual(many.map(() => 201));
      expect(await rows()).toHaveLength(many.length);
    });
    expect((await delayed)?.status).toBe(201);
  });
});
