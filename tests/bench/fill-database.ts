import { migrate, openDatabase } from '@latchkey/shared/db';
import { fillLists, type ListSizes } from '@latchkey/shared/testing';
import { fillUsage } from './fill-usage.ts';
import { fillWebhooks } from './fill-webhooks.ts';

/** The sizes with which the dashboard must stay fast. */
export const listSizes: ListSizes = {
  apiKeys: 100_000,
  contents: 100_000,
  leases: 1_000_000,
  auditRows: 10_000_000,
};

/** Nothing that was filled is purged while it is measured. */
export const fillSettings = {
  AUDIT_KEEP_ACTS_DAYS: '0',
  AUDIT_KEEP_REFUSALS_DAYS: '0',
  AUDIT_KEEP_STRANGERS_DAYS: '0',
  WEBHOOK_DELIVERIES_KEEP_DAYS: '365',
  // Without any, the dashboard shows no webhook.
  WEBHOOK_ORIGINS: 'http://127.0.0.1:9',
};

/**
 * Fills a database with `listSizes`, usage and webhooks, in some minutes and 5 GB, unless it is filled.
 *
 * @param say receives what is being done
 * @returns the time for which the rows were made, in milliseconds since 1970
 */
export async function fillDatabase(
  databaseUrl: string | undefined,
  sqlitePath: string,
  say: (line: string) => void,
): Promise<number> {
  const db = openDatabase({ databaseUrl, sqlitePath, longStatements: true });
  try {
    await migrate(db);
    const newest = db.selectFrom('audit').select('at').orderBy('number', 'desc').limit(1);
    const filled = await newest.executeTakeFirst();
    if (filled) return filled.at;
    const now = Date.now();
    const beganAt = performance.now();
    const sayWhen = (line: string) => say(`${Math.round((performance.now() - beganAt) / 1_000)} s: ${line}`);
    sayWhen('usage and webhooks');
    await fillUsage(db, now);
    await fillWebhooks(db, now);
    await fillLists(db, listSizes, now, sayWhen);
    sayWhen('filled');
    return now;
  } finally {
    await db.destroy();
  }
}
