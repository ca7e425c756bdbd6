import { isPostgres } from '@latchkey/shared/db';
import { databaseKinds, findUnboundedScans, planQueries, type TestDatabase } from '@latchkey/shared/testing';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimDeliveries } from './delivery-claims.ts';
import { deliveryStates } from './webhook.ts';
import { countPending, listDeliveries } from './webhook-store.ts';

const deliveries = 20_000;
const now = Date.UTC(2027, 0, 1);
/** It has half of the deliveries, and a tenth of those wait. */
const webhookId = 'webhook-0';

async function fill({ db }: TestDatabase): Promise<void> {
  const series = isPostgres(db)
    ? sql`generate_series(0, ${sql.lit(deliveries - 1)}) as numbers(n)`
    : sql`(with recursive counted(n) as (select 0 union all select n + 1 from counted where n < ${sql.lit(deliveries - 1)}) select n from counted) as numbers`;
  const at = sql`${sql.lit(now - deliveries)} + n`;
  await sql`insert into webhook_deliveries (id, webhook_id, type, payload, state, created_at, changed_at, next_try_at, tries)
    select 'msg_' || n, 'webhook-' || (n % 2 * (n % 40)), 'lease.revoked', '{}',
      case n % 20 when 0 then 'pending' when 2 then 'failed' else 'delivered' end, ${at}, ${at}, ${at}, 1 from ${series}`.execute(
    db,
  );
  await sql`analyze`.execute(db);
}

describe.each(databaseKinds(process.env))('on $name', (kind) => {
  let opened: TestDatabase;
  beforeAll(async () => {
    opened = await kind.open();
    await fill(opened);
  });
  afterAll(() => opened.close());

  it.each([undefined, ...deliveryStates])(
    'a list among many deliveries reads only the rows of its page: state %s',
    async (state) => {
      const plans = await planQueries(opened.db, async (db) => {
        for (const after of [null, { at: now - 5_000, id: 'x' }])
          expect(await listDeliveries(db, { webhookId, state }, { limit: 51, after })).toHaveLength(51);
      });
      expect(plans).toHaveLength(2);
      expect(findUnboundedScans(plans, [])).toEqual([]);
      expect(plans.flatMap(({ steps }) => steps).filter((step) => /TEMP B-TREE|^Sort/.test(step))).toEqual(
        [],
      );
    },
  );

  it('what waits is counted, and what is due is found, without the deliveries that ended', async () => {
    const plans = await planQueries(opened.db, async (db) => {
      expect(await countPending(db, webhookId)).toBe(deliveries / 20);
      expect(await claimDeliveries(db, webhookId, { now: 0, limit: 10 })).toEqual([]);
    });
    expect(plans).toHaveLength(2);
    expect(findUnboundedScans(plans, [])).toEqual([]);
  });
});
