import { describe, expect, onTestFinished, test } from 'vitest';
import { databaseKinds } from '../testing/index.ts';
import { cleanAudit } from './clean-audit.ts';
import type { Database } from './open.ts';

const key = `lk_${'0123456789abcdef'.repeat(4)}`;
const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJlLXNpZ25hdHVyZS1zaWduYXR1cmU';

const row = (fields: Partial<Record<'actor_id' | 'target' | 'request_id', string>>) => ({
  at: 1,
  actor_kind: 'viewer',
  actor_id: null,
  action: 'lease.list',
  target: null,
  client_ip: '203.0.113.7',
  request_id: null,
  outcome: 'refused',
  code: null,
  ...fields,
});

/** As a database of the release before is found: rows are there, and nothing of them was read. */
async function begin(db: Database): Promise<void> {
  const { last } = await db
    .selectFrom('audit')
    .select((eb) => eb.fn.max('number').as('last'))
    .executeTakeFirstOrThrow();
  await db
    .updateTable('audit_cleaning')
    .set({ done_to: 0, last: last ?? 0 })
    .execute();
}
const targets = async (db: Database) =>
  (await db.selectFrom('audit').select('target').orderBy('number').execute()).map(({ target }) => target);

describe.each(databaseKinds(process.env))('the audit of an earlier release on $name', ({ open }) => {
  async function openOwn(): Promise<Database> {
    const { db, close } = await open();
    onTestFinished(close);
    return db;
  }

  test('no raw key or token stays in an audit row, and every other row is unchanged', async () => {
    const db = await openOwn();
    const plain = row({ actor_id: 'ada.b.lovelace@example.com', target: 'film', request_id: 'a.b.c' });
    const dirty = [
      row({ target: key }),
      row({ target: key.toUpperCase() }),
      row({ actor_id: `viewer ${token}` }),
      row({ request_id: `x-${key}`.slice(0, 64) }),
      row({ target: `viewerId=${encodeURIComponent(key).replace('_', '%5F')}` }),
    ];
    await db
      .insertInto('audit')
      .values([plain, ...dirty, plain])
      .execute();
    await begin(db);
    expect(await cleanAudit(db)).toBe(dirty.length);
    const rows = await db.selectFrom('audit').selectAll().orderBy('number').execute();
    expect(JSON.stringify(rows)).not.toMatch(/lk_[0-9a-f]{9}|lk%5F|eyJ/i);
    expect(rows[0]).toMatchObject(plain);
    expect(rows.at(-1)).toMatchObject(plain);
    expect(rows[1]).toMatchObject({ ...row({}), target: 'lk_***' });
    expect(await cleanAudit(db)).toBe(0);
  });

  test('cleaning an audit in which every row has a key takes short transactions, continues where it was stopped, skips purged rows, and leaves later rows unchanged', async () => {
    const db = await openOwn();
    const rows = Array.from({ length: 1_000 }, () => row({ target: key }));
    await db.insertInto('audit').values(rows).execute();
    await begin(db);
    await db
      .insertInto('audit')
      .values(row({ target: 'later' }))
      .execute();
    await db.deleteFrom('audit').where('number', '<=', 100).execute();
    let transactions = 0;
    const stopping = new Proxy(db, {
      get(target, name) {
        if (name === 'transaction' && ++transactions === 3) throw new Error('stopped');
        const value = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    await expect(cleanAudit(stopping)).rejects.toThrow('stopped');
    const left = (await targets(db)).filter((target) => target === key).length;
    expect(left).toBeLessThan(900);
    // At most 200 rows a transaction: a server that was attacked is upgraded while it serves.
    expect(left).toBeGreaterThanOrEqual(500);
    expect(await cleanAudit(db)).toBe(left);
    expect((await targets(db)).filter((target) => target === key)).toEqual([]);
    expect((await targets(db)).at(-1)).toBe('later');
  });

  test('cleaning the audit does nothing before its migration', async () => {
    const db = await openOwn();
    await db.schema.dropTable('audit_cleaning').execute();
    expect(await cleanAudit(db)).toBe(0);
  });
});
