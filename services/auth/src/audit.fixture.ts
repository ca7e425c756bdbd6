import type { Database } from '@latchkey/shared/db';

/** Adds rows to the audit. By default a row is a revocation by an API key. */
export async function addAuditRows(
  db: Pick<Database, 'insertInto'>,
  rows: readonly Record<string, unknown>[],
): Promise<void> {
  const usual = { at: 0, actor_kind: 'api-key', action: 'lease.revoke', outcome: 'done' };
  for (let from = 0; from < rows.length; from += 1_000)
    await db
      .insertInto('audit')
      .values(rows.slice(from, from + 1_000).map((row) => ({ ...usual, ...row })) as never)
      .execute();
}

/** The target and the details in the audit row of a revocation by viewer. */
export const ofViewer = (viewerId: string) => ({
  target: `viewer:${viewerId}`,
  details: JSON.stringify({ names: { leaseId: null, viewerId, contentId: null } }),
});
