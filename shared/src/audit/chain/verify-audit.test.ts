import { createRandom } from '@latchkey/support/random';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../db/index.ts';
import { createManualClock } from '../../testing/manual-clock.ts';
import { databaseKinds, type TestDatabase } from '../../testing/test-database.ts';
import { createAuditSealer } from './seal-audit.ts';
import type { Anchor } from './verification.ts';
import { verifyAudit } from './verify-audit.ts';

const kinds = [
  { actor_kind: 'api-key', outcome: 'done' },
  { actor_kind: 'viewer', outcome: 'refused' },
  { actor_kind: 'anonymous', outcome: 'refused', count: 3 },
];
const editable = [
  ...['at', 'actor_kind', 'actor_id', 'action', 'target', 'client_ip', 'request_id'],
  ...['outcome', 'code', 'affected', 'count', 'details'],
];
const times = new Set(['at', 'affected', 'count']);

describe.each(databaseKinds(process.env))('the chain of the audit on $name', ({ open }) => {
  let database: TestDatabase;
  let db: Database;
  const clock = createManualClock();
  beforeEach(async () => {
    database = await open();
    db = database.db;
  });
  afterEach(() => database.close());

  const add = (count: number) =>
    db
      .insertInto('audit')
      .values(
        Array.from({ length: count }, (_, n) => ({
          at: clock.now() - 300_000 + n,
          actor_id: `actor-${n}`,
          action: 'lease.revoke',
          target: `t-${n}`,
          client_ip: '203.0.113.7',
          request_id: `r-${n}`,
          code: null,
          affected: null,
          count: null,
          details: n % 2 === 0 ? null : '{"reason":"why"}',
          ...kinds[n % kinds.length],
        })) as never,
      )
      .execute();
  const seal = (secret: Buffer | null = null) => createAuditSealer({ db, clock, secret }).run();
  async function verify(secret: Buffer | null = null, anchors: Anchor[] = [], on = db) {
    const findings: string[] = [];
    const result = await verifyAudit({
      db: on,
      secret,
      anchors,
      onFinding: (text) => void findings.push(text),
    });
    return { findings, chains: result?.chains ?? [], waiting: result?.waiting };
  }

  /** Changes the rows, verifies, and undoes it. */
  async function findingsAfter(
    attack: (tx: Database) => Promise<unknown>,
    anchors: Anchor[] = [],
  ): Promise<string[]> {
    let findings: string[] = [];
    await db
      .transaction()
      .execute(async (tx) => {
        await attack(tx);
        ({ findings } = await verify(null, anchors, tx));
        throw new Error('undo');
      })
      .catch((error: Error) => {
        if (error.message !== 'undo') throw error;
      });
    return findings;
  }

  test('verify finds each of 72 random edits of every column, deletions and reorderings of chained rows, at the end too', async () => {
    await add(300);
    expect(await seal()).toBe(300);
    // On Postgres the number up to which nothing can appear any more follows half a minute later.
    clock.advance(31_000);
    await seal();
    expect(await verify()).toMatchObject({ findings: [], waiting: 0 });
    const random = createRandom(20_261_123);
    const numbers = (await db.selectFrom('audit').select('number').orderBy('number').execute()).map(
      (row) => row.number,
    );
    const pick = () => numbers[random(numbers.length)] as number;
    let edited = 0;
    const attacks: Record<string, (tx: Database) => Promise<unknown>> = {
      async edit(tx) {
        const column = editable[edited++ % editable.length] ?? '';
        const changed = times.has(column)
          ? sql`coalesce(${sql.ref(column)}, 0) + 1`
          : sql`coalesce(${sql.ref(column)}, '') || 'x'`;
        await sql`update audit set ${sql.ref(column)} = ${changed} where number = ${pick()}`.execute(tx);
      },
      deletion: (tx) => tx.deleteFrom('audit').where('number', '=', pick()).execute(),
      async 'deletion with its place'(tx) {
        const number = pick();
        await tx.deleteFrom('audit').where('number', '=', number).execute();
        await tx.deleteFrom('audit_entries').where('number', '=', number).execute();
      },
      async 'deletion of the end with its places'(tx) {
        const from = numbers.at(-1 - random(20)) ?? 0;
        await tx.deleteFrom('audit').where('number', '>=', from).execute();
        await tx.deleteFrom('audit_entries').where('number', '>=', from).execute();
      },
      async 'reordering of the rows'(tx) {
        const [one, other] = [numbers[random(150)] ?? 0, numbers[150 + random(150)] ?? 0];
        const swap = (column: string) => sql`update audit set ${sql.ref(column)} =
          (select b.${sql.ref(column)} from audit b where b.number = ${one + other} - audit.number) where number in (${one}, ${other})`;
        await swap('target').execute(tx);
      },
      async 'reordering of the places'(tx) {
        const place = 1 + random(98);
        const swap = sql`update audit_entries set number = (select b.number from audit_entries b where b.chain = 'acts'
          and b.place = ${2 * place + 1} - audit_entries.place) where chain = 'acts' and place in (${place}, ${place + 1})`;
        await swap.execute(tx);
      },
    };
    const names = Object.keys(attacks);
    const missed: string[] = [];
    for (let n = 0; n < 6 * editable.length; n++) {
      const name = names[n % names.length] ?? '';
      const findings = await findingsAfter(attacks[name] as (tx: Database) => Promise<unknown>);
      if (findings.length === 0) missed.push(`${n}: ${name}`);
    }
    expect(missed).toEqual([]);
    expect((await verify()).findings).toEqual([]);
  });

  test('a chain whose end was removed together with its stored end is found by an anchor from before, and only by that', async () => {
    await add(90);
    await seal();
    const anchors = (await verify()).chains.map(({ chain, place, hash }) => ({ chain, place, hash }));
    const rewind = async (tx: Database) => {
      for (const { chain } of anchors) {
        await sql`delete from audit where number in (select number from audit_entries where chain = ${chain} and place > 20)`.execute(
          tx,
        );
        await sql`delete from audit_entries where chain = ${chain} and place > 20`.execute(tx);
        await sql`update audit_chains set place = 20, hash =
          (select hash from audit_entries where chain = ${chain} and place = 20) where chain = ${chain}`.execute(
          tx,
        );
      }
    };
    expect(await findingsAfter(rewind)).toEqual([]);
    expect(await findingsAfter(rewind, anchors)).toHaveLength(3);
    expect((await verify(null, anchors)).findings).toEqual([]);
  });

  /** Chains a part of 2,000 rows, as a process that ends in a long backlog. */
  async function sealSome(): Promise<{ chained: number; nextTo: number }> {
    const slow = {
      ...clock,
      monotonic() {
        clock.advance(6_000);
        return clock.monotonic();
      },
    };
    const sealer = createAuditSealer({ db, clock: slow, secret: null });
    const read = async () => {
      const { chained, next_to } = await db
        .selectFrom('audit_sealing')
        .select('next_to')
        .select((eb) =>
          eb
            .selectFrom('audit_entries')
            .select(({ fn }) => fn.countAll<number>().as('n'))
            .as('chained'),
        )
        .executeTakeFirstOrThrow();
      return { chained: Number(chained), nextTo: Number(next_to) };
    };
    const run = sealer.run();
    while ((await read()).chained === 0);
    sealer.stop();
    await run;
    return read();
  }

  test('while a backlog is chained, the place where another start would go on follows', async () => {
    await add(2_000);
    const { chained, nextTo } = await sealSome();
    expect(chained).toBeLessThan(2_000);
    expect(nextTo).toBeGreaterThan(0);
    expect(await verify()).toMatchObject({ findings: [] });
    // The rest is chained by the next run, and no row twice.
    expect(await seal()).toBe(2_000 - chained);
    expect(await verify()).toMatchObject({ findings: [], waiting: 0 });
  });

  test('a row that became visible before a place that another process has noted is not passed over by a process that ends before it', async () => {
    await add(2_000);
    await sql`update audit_sealing set next_to = 2000`.execute(db);
    const { chained } = await sealSome();
    expect(chained).toBeLessThan(2_000);
    expect(await verify()).toMatchObject({ findings: [] });
    expect(await seal()).toBe(2_000 - chained);
  });

  test('a chain that was written anew is found by the secret, and one from before the secret is accepted up to its first place', async () => {
    const secret = Buffer.alloc(32, 7);
    await add(30);
    await seal();
    await add(30);
    await seal(secret);
    const whole = await verify(secret);
    expect([whole.findings, whole.chains.map(({ unkeyed }) => unkeyed)]).toEqual([[], [10, 10, 10]]);
    expect((await verify(null)).findings).not.toEqual([]);
    expect((await verify(Buffer.alloc(32, 8))).findings).not.toEqual([]);
    // Without the secret, an attacker makes the last places anew, with other rows.
    await sql`delete from audit_entries where chain = 'acts' and place > 15`.execute(db);
    await sql`update audit_chains set place = 15, hash = (select hash from audit_entries where chain = 'acts' and place = 15)
      where chain = 'acts'`.execute(db);
    await sql`update audit_sealing set sealed_to = 0, next_to = 0`.execute(db);
    await sql`update audit set target = 'forged' where actor_kind = 'api-key' and number > 45`.execute(db);
    await seal();
    expect((await verify(secret)).findings[0]).toMatch(
      /^chain acts: row \d+ is not as it was chained \(place 16\)$/,
    );
  });

  test('rows that are not chained yet are chained by the next run, and a row from beside the services is named', async () => {
    await add(3);
    expect(await verify()).toMatchObject({ findings: [], waiting: 3 });
    expect(await seal()).toBe(3);
    clock.advance(31_000);
    await seal();
    await add(1);
    expect((await verify()).waiting).toBe(1);
    await seal();
    clock.advance(31_000);
    await seal();
    clock.advance(31_000);
    await seal();
    await sql`delete from audit_entries where number = (select max(number) from audit)`.execute(db);
    expect((await verify()).findings.join()).toMatch(/place 2 is missing.*row \d+ is in no chain/);
  });

  test('an act whose number of leases is still to come, and a group of refusals that may grow, are chained once they are final', async () => {
    await add(3);
    const act = (
      await db.selectFrom('audit').select('number').where('outcome', '=', 'done').executeTakeFirstOrThrow()
    ).number;
    await sql`insert into revocations (viewer_id, content_id, created_after, revoked_up_to, expiring_after, revoked_at, audit_number)
      values ('', 'film', 0, 1, 0, 1, ${act})`.execute(db);
    await db.updateTable('audit').set({ at: clock.now() }).where('count', '=', 3).execute();
    expect(await seal()).toBe(1);
    await db.updateTable('audit').set({ affected: 12 }).where('number', '=', act).execute();
    await db.updateTable('revocations').set({ finished_at: clock.now() }).execute();
    expect(await seal()).toBe(1);
    clock.advance(130_000);
    expect(await seal()).toBe(1);
    expect((await verify()).findings).toEqual([]);
  });

  test('several processes that chain at the same time give each row one place', async () => {
    await add(120);
    await Promise.all(Array.from({ length: 4 }, () => seal()));
    await seal();
    const { findings, chains } = await verify();
    expect([findings, chains.map(({ place }) => place)]).toEqual([[], [40, 40, 40]]);
  });
});
