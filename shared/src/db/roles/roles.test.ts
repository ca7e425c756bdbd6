import { randomBytes } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createRefusalLog } from '../../audit/index.ts';
import { createManualClock } from '../../testing/manual-clock.ts';
import { createOwnPostgres, type OwnPostgres } from '../../testing/own-postgres.ts';
import { migrate, migrations } from '../migrate.ts';
import type { Database } from '../open.ts';
import { type CreateRolesOptions, createScramVerifier, createServiceRoles } from './create-roles.ts';
import { findRolePrefixes, nameServiceRoles, rightsOf } from './grant-rights.ts';
import { rowServices } from './service-rights.ts';

const url = process.env.TEST_POSTGRES_URL ?? '';
const refused = '42501';

test('a password is stored as Postgres itself would store it: the verifier of RFC 7677 with its salt', () => {
  const salt = Buffer.from('W22ZaJ0SNY7soEsUEjb6gQ==', 'base64');
  expect(createScramVerifier('pencil', salt)).toBe(
    'SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=',
  );
});

describe.skipIf(url === '')('on Postgres', () => {
  let own: OwnPostgres;
  let owner: Database;
  let prefix: string;
  const passwords = { auth: 'a'.repeat(32), content: 'c'.repeat(32), leases: 'l'.repeat(32) };

  async function begin(isMigrated: boolean): Promise<void> {
    own = await createOwnPostgres(url, isMigrated ? process.env.TEST_POSTGRES_TEMPLATE : undefined);
    prefix = own.name;
    owner = own.open({ longStatements: true });
  }

  async function end(): Promise<void> {
    await owner.destroy();
    await own.admin.query(`drop database ${own.name} with (force)`);
    for (const role of [prefix, `${prefix}_2`].flatMap((each) => Object.values(nameServiceRoles(each))))
      await own.admin.query(`drop role if exists ${role}`);
    await own.admin.end();
  }

  async function beginEmpty(): Promise<void> {
    await end();
    await begin(false);
  }

  beforeEach(() => begin(true));
  afterEach(end);

  const create = (options: Partial<CreateRolesOptions> = {}) =>
    createServiceRoles(owner, { prefix, passwords, randomBytes, ...options });

  const migrateFurther = (up: (db: Kysely<unknown>) => Promise<void>) =>
    migrate(owner, { migrations: { ...migrations, '9001-next': { up } }, needed: '9001-next' });

  function urlAs(user: string, password: string): string {
    const as = new URL(own.databaseUrl);
    Object.assign(as, { username: user, password });
    return as.toString();
  }

  /** Runs statements as a role, in a transaction that is undone. @returns the SQLSTATE of each, or `done` */
  async function tryAs(
    service: keyof typeof passwords,
    statements: readonly string[],
    as = prefix,
  ): Promise<string[]> {
    const client = new pg.Client({ connectionString: urlAs(`${as}_${service}`, passwords[service]) });
    await client.connect();
    const outcomes: string[] = [];
    for (const statement of statements) {
      await client.query('begin');
      outcomes.push(
        await client.query(statement).then(
          () => 'done',
          (error) => String(error.code),
        ),
      );
      await client.query('rollback');
    }
    await client.end();
    return outcomes;
  }

  test('the role of each service reads the tables of its service, and Postgres refuses it every other table', async () => {
    await create();
    const { rows } = await sql<{ name: string }>`select tablename as name from pg_tables
      where schemaname = 'public' order by 1`.execute(owner);
    const tables = rows.map(({ name }) => name);
    const selects = tables.map((table) => `select * from ${table}`);
    for (const service of rowServices) {
      const outcomes = await tryAs(service, selects);
      const rights = rightsOf(service);
      expect(tables.filter((_, index) => outcomes[index] === 'done')).toEqual(
        tables.filter((table) => rights[table]?.select === true),
      );
      expect(new Set(outcomes)).toEqual(new Set(['done', refused]));
    }
  });

  test('no service changes what another one has written: API keys, leases, marks, contents, the audit, the schema', async () => {
    await create();
    expect(
      await tryAs('leases', [
        "update api_keys set scope = 'admin'",
        'select number from audit',
        'select actor_id from audit',
        "update audit set actor_id = 'x'",
        'delete from audit',
        "update change_counter set history = ''",
        'alter table leases add column x text',
        'delete from kysely_migration',
        'update audit set affected = 1 where number = 1',
      ]),
    ).toEqual([refused, 'done', ...Array(6).fill(refused), 'done']);
    expect(await tryAs('content', ['delete from marks'])).toEqual([refused]);
  });

  test('no service removes or changes a row of the audit, and auth removes old ones only through the function for it', async () => {
    await create();
    for (const service of rowServices)
      expect(await tryAs(service, ['delete from audit', "update audit set target = 'x'"])).toEqual([
        refused,
        refused,
      ]);
    const dayMs = 86_400_000;
    const rows = [2, 0].map((days) => ({
      at: Date.now() - days * dayMs,
      ...{ actor_kind: 'viewer', action: 'x', outcome: 'refused' },
    }));
    await owner
      .insertInto('audit')
      .values(rows as never)
      .execute();
    const purge = `select audit_purge('refusals', ${Date.now() + dayMs}, 100, 10)`;
    expect(await tryAs('leases', [purge])).toEqual([refused]);
    const asAuth = own.open({ databaseUrl: urlAs(`${prefix}_auth`, passwords.auth) });
    await sql
      .raw(purge)
      .execute(asAuth)
      .finally(() => asAuth.destroy());
    expect(await owner.selectFrom('audit').select('at').execute()).toEqual([{ at: rows[1]?.at }]);
  });

  test('the rights of content suffice to count refusals in rows that may be final', async () => {
    await create();
    const clock = createManualClock();
    const asContent = own.open({ databaseUrl: urlAs(`${prefix}_content`, passwords.content) });
    const faults: unknown[] = [];
    const refusals = createRefusalLog(asContent, clock, (error) => void faults.push(error));
    const refuse = () =>
      refusals.record({
        actor: { kind: 'anonymous', id: null },
        action: 'content.register',
        target: null,
        clientIp: '203.0.113.7',
        requestId: null,
        outcome: 'refused',
        code: 'UNAUTHENTICATED',
      });
    const count = async () => {
      await refuse();
      await refuse();
      await refusals.settle();
    };
    try {
      await count();
      clock.setWall(clock.now() + 300_000);
      await count();
      const rows = await owner.selectFrom('audit').select('count').orderBy('number').execute();
      expect([rows.map((row) => Number(row.count)), faults]).toEqual([[2, 2], []]);
    } finally {
      await asContent.destroy();
    }
  });

  test('making the roles again changes no role and no right, and takes away a right that was added by hand', async () => {
    const first = await create();
    expect(first.map(({ isNew }) => isNew)).toEqual([true, true, true]);
    await sql`grant select on api_keys to ${sql.id(`${prefix}_leases`)}`.execute(owner);
    expect(await tryAs('leases', ['select 1 from api_keys'])).toEqual(['done']);
    const second = await create({ passwords: {} });
    expect(second.map(({ isNew, hasNewPassword }) => isNew || hasNewPassword)).toEqual([false, false, false]);
    expect(await tryAs('leases', ['select 1 from api_keys', 'select 1 from leases'])).toEqual([
      refused,
      'done',
    ]);
  });

  test('roles can be made by several at once', async () => {
    const created = await Promise.all([create(), create(), create()]);
    expect(created.flat().filter(({ isNew }) => isNew)).toHaveLength(rowServices.length);
  });

  test('a migration grants the roles what it adds, though it does not name them, also where a second set takes the place of the first', async () => {
    await sql`drop table revocations`.execute(owner);
    await sql`alter table audit drop column affected`.execute(owner);
    await create();
    await create({ prefix: `${prefix}_2` });
    const sets = await findRolePrefixes(owner);
    expect(sets.sort()).toEqual([prefix, `${prefix}_2`]);
    await migrateFurther(async (db) => {
      await sql`create table revocations (number bigint)`.execute(db);
      await sql`alter table audit add column affected bigint`.execute(db);
    });
    const update = 'update audit set affected = 1, count = 1 where number = 1';
    for (const set of sets) {
      expect(await tryAs('leases', ['select 1 from revocations', update], set)).toEqual(['done', 'done']);
      expect(await tryAs('content', ['select 1 from revocations'], set)).toEqual([refused]);
    }
  });

  test('a role that only happens to be named like one of a service gets no right from a migration', async () => {
    const role = `${prefix}_auth`;
    await sql`create role ${sql.id(role)} login`.execute(owner);
    await sql`grant select on change_counter to ${sql.id(role)}`.execute(owner);
    await migrateFurther(async () => {});
    expect(await tryAs('auth', ['select 1 from api_keys'])).toEqual([refused]);
  });

  test('the roles find tables that are in a schema of their own', async () => {
    await beginEmpty();
    await sql`create schema vault`.execute(owner);
    await own.set('search_path = vault');
    const inVault = own.open();
    await migrate(inVault);
    // As of an owner whose own setting says so, and not the database's.
    await own.set('search_path = public');
    await createServiceRoles(inVault, { prefix, passwords, randomBytes });
    await inVault.destroy();
    expect(await tryAs('leases', ['select 1 from leases', 'select 1 from api_keys'])).toEqual([
      'done',
      refused,
    ]);
  });

  test('a role that may make no roles says which role an administrator has to make, and then grants to it', async () => {
    await beginEmpty();
    const weak = `${prefix}_owner`;
    await own.admin.query(`create role ${weak} login password 'w'`);
    await own.admin.query(`alter database ${own.name} owner to ${weak}`);
    await sql`grant create on schema public to ${sql.id(weak)}`.execute(owner);
    const db = own.open({ databaseUrl: urlAs(weak, 'w') });
    try {
      await migrate(db);
      await expect(createServiceRoles(db, { prefix, passwords, randomBytes })).rejects.toThrow(
        new RegExp(`CREATE ROLE ${prefix}_auth LOGIN`),
      );
      for (const [service, role] of Object.entries(nameServiceRoles(prefix)))
        await own.admin.query(
          `create role ${role} login password '${passwords[service as keyof typeof passwords]}'`,
        );
      await createServiceRoles(db, { prefix, passwords: {}, randomBytes });
      expect(await tryAs('leases', ['select 1 from leases', 'select 1 from api_keys'])).toEqual([
        'done',
        refused,
      ]);
    } finally {
      await db.destroy();
      await owner.destroy();
      await own.admin.query(`alter database ${own.name} owner to current_user`);
      await own.admin.query(`drop owned by ${weak}`).catch(() => {});
      owner = own.open();
      await sql`drop owned by ${sql.id(weak)} cascade`.execute(owner);
      await own.admin.query(`drop role ${weak}`);
    }
  });
});
