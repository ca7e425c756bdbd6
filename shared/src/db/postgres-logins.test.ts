import { requirePasswords } from '@latchkey/support/stores/changed-users';
import { changePgBouncerUsers, startOwnPgBouncer } from '@latchkey/support/stores/own-pgbouncer';
import { findProgram, startOwnPostgres } from '@latchkey/support/stores/own-stores';
import type { ServerProgram } from '@latchkey/support/stores/server-program';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { isDatabaseUnavailable } from './database-fault.ts';
import { openDatabase } from './open.ts';

const canStart = findProgram('initdb') !== undefined;
/** More statements at once than the connections of a pool. */
const manyStatements = 40;
vi.setConfig({ testTimeout: 60_000 });

describe.skipIf(!canStart)('a password of Postgres that changes', () => {
  let server: ServerProgram;
  let owner: pg.Client;

  beforeAll(async () => {
    server = await startOwnPostgres();
    await requirePasswords(server);
    owner = new pg.Client(server.url);
    await owner.connect();
    await owner.query('create role viewer login');
    await owner.query('create role viewer_2 login');
  });
  afterAll(async () => {
    await owner.end();
    await server.stop();
  });
  beforeEach(async () => {
    await owner.query("alter role viewer password 'old'");
  });

  const setPassword = (password: string) => owner.query(`alter role viewer password '${password}'`);
  const urlWith = (password: string, user = 'viewer') =>
    server.url.replace('postgres@', `${user}:${password}@`);

  function open(url = urlWith('old')) {
    const secret = { value: url, file: url };
    let refusals = 0;
    let others = 0;
    const db = openDatabase({
      databaseUrl: { reveal: () => secret.value, newest: () => secret.file },
      sqlitePath: '',
      connectionTimeoutMs: 30_000,
      onLoginRefused: () => void refusals++,
      onOtherPlace: () => void others++,
    });
    onTestFinished(() => db.destroy());
    const read = async () =>
      (
        await sql<{
          name: string;
          pid: number;
        }>`select current_user as name, pg_backend_pid() as pid`.execute(db)
      ).rows[0];
    return {
      secret,
      read,
      /** Needs more connections than are open. */
      readMany: () =>
        Promise.all(
          Array.from({ length: manyStatements }, async () => {
            const { rows } = await sql<{ name: string; pid: number }>`
              select current_user as name, pg_backend_pid() as pid, pg_sleep(0.02)::text`.execute(db);
            return rows[0]?.pid;
          }),
        ),
      refusals: () => refusals,
      others: () => others,
    };
  }
  const endSessions = () =>
    owner.query("select pg_terminate_backend(pid) from pg_stat_activity where usename like 'viewer%'");
  const countSessions = async () =>
    Number(
      (await owner.query("select count(*) from pg_stat_activity where usename like 'viewer%'")).rows[0].count,
    );

  test('when the role has a new password that the process does not know yet, all statements are answered by the open connections', async () => {
    const { read, readMany, refusals, secret } = open();
    const first = await read();
    await setPassword('new');
    expect(new Set(await readMany())).toEqual(new Set([first?.pid]));
    expect(refusals()).toBeGreaterThan(0);
    secret.file = urlWith('new');
    // Nobody told the process: it reads the file when it is refused the next time.
    await vi.waitFor(async () => expect(new Set(await readMany()).size).toBeGreaterThan(1), 30_000);
    await endSessions();
    await vi.waitFor(async () => expect((await read())?.name).toBe('viewer'));
  });

  test('when the process knows a new password before the role has it, new connections are made with the one before', async () => {
    const { readMany, refusals, secret } = open();
    secret.value = secret.file = urlWith('new');
    expect(new Set(await readMany()).size).toBeGreaterThan(1);
    expect(refusals()).toBe(0);
    await endSessions();
    await vi.waitFor(async () => expect(await countSessions()).toBe(0));
    await setPassword('new');
    expect(new Set(await readMany()).size).toBeGreaterThan(1);
    expect(refusals()).toBe(0);
  });

  test('a new user is taken with its password', async () => {
    const { read, secret } = open();
    await read();
    await owner.query("alter role viewer_2 password 'other'");
    secret.value = secret.file = urlWith('other', 'viewer_2');
    expect((await read())?.name).toBe('viewer');
    await endSessions();
    await owner.query('alter role viewer nologin');
    onTestFinished(async () => void (await owner.query('alter role viewer login')));
    await vi.waitFor(async () => expect((await read())?.name).toBe('viewer_2'));
  });

  test('where every password is refused and no connection is open, a statement fails at once, and the next one succeeds once a password is right', async () => {
    const { read, refusals, secret } = open();
    await setPassword('unknown');
    const error = await read().catch((fault: unknown) => fault);
    expect(error).toMatchObject({ code: '28P01' });
    expect(isDatabaseUnavailable(error)).toBe(true);
    expect(refusals()).toBe(1);
    secret.file = urlWith('unknown');
    expect((await read())?.name).toBe('viewer');
  });

  test('a URL that names another database is not taken, and is reported once', async () => {
    const { readMany, others, secret } = open();
    secret.value = secret.file = urlWith('old').replace(/postgres$/, 'elsewhere');
    expect(new Set(await readMany()).size).toBeGreaterThan(1);
    expect(others()).toBe(1);
  });

  test.skipIf(findProgram('pgbouncer') === undefined)(
    'behind PgBouncer, which refuses by itself, a password changes in either order too',
    async () => {
      const postgresPort = server.port;
      const bouncer = await startOwnPgBouncer({
        postgresPort,
        users: { postgres: 'old' },
      });
      onTestFinished(() => bouncer.stop());
      const behind = (password: string) => bouncer.url.replace('postgres@', `postgres:${password}@`);
      const [told, untold] = [open(behind('old')), open(behind('old'))];
      await Promise.all([told.read(), untold.read()]);
      told.secret.value = told.secret.file = behind('new');
      expect(await told.readMany()).toHaveLength(manyStatements);
      expect(told.refusals()).toBe(0);
      await changePgBouncerUsers(bouncer, { postgres: 'new' });
      expect(await untold.readMany()).toHaveLength(manyStatements);
      expect(untold.refusals()).toBeGreaterThan(0);
    },
  );
});
