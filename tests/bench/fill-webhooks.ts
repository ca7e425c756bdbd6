import type { Database } from '@latchkey/shared/db';
import { sql } from 'kysely';
import { literal, numbers } from './generated-rows.ts';

/** As many as a server takes (`mostWebhooks`). */
const webhooks = 20;
/** Half of them and more are of `busiestWebhook`. */
const deliveries = 100_000;
/** It has half of the deliveries. */
export const busiestWebhook = 'b0000000-0000-4000-8000-000000000010';
const dayMs = 86_400_000;

/**
 * Fills webhooks and what they sent in the last three days. They are paused, so nothing is sent while something else is measured.
 *
 * @param now milliseconds since 1970
 */
export async function fillWebhooks(db: Database, now: number): Promise<void> {
  const id = sql`'b0000000-0000-4000-8000-0000000000' ||`;
  await sql`insert into webhooks (id, name, url, secret, events, status, paused_by, created_at, updated_at)
    ${numbers(0, webhooks)}
    select ${id} (10 + n), 'Receiver ' || n, 'http://127.0.0.1:9/' || n, 'sealed', '["lease.revoked"]', 'paused', 'admin',
      ${literal(now - dayMs)} + n, ${literal(now)} from numbers`.execute(db);
  const of = sql`case when n % 2 = 0 then 10 else 10 + n / 2 % ${literal(webhooks)} end`;
  const at = sql`${literal(now - 3 * dayMs)} + n * ${literal((3 * dayMs) / deliveries)}`;
  await sql`insert into webhook_deliveries (id, webhook_id, type, payload, state, created_at, changed_at, next_try_at, tries, last_try_at, last_status)
    ${numbers(0, deliveries)}
    select 'msg_' || n, ${id} (${of}), 'lease.revoked',
      '{"type":"lease.revoked","timestamp":"2026-01-01T00:00:00.000Z","data":{"viewerId":"viewer-' || n || '"}}',
      case when n % 10 = 0 then 'failed' else 'delivered' end, ${at}, ${at}, ${at}, 1, ${at}, case when n % 10 = 0 then 410 else 204 end
    from numbers`.execute(db);
}
