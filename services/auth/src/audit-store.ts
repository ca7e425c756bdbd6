import type { AuditTable, Database } from '@latchkey/shared/db';
import type { Selectable } from 'kysely';

export interface AuditFilter {
  /** Rows from before this number; null from the newest on. */
  before: number | null;
  action: string | undefined;
  /** The id of an actor, or a kind of actors. */
  actor: string | undefined;
  limit: number;
}

/** Newest first. */
export async function listAuditRows(
  db: Database,
  { before, action, actor, limit }: AuditFilter,
): Promise<Selectable<AuditTable>[]> {
  let query = db
    .selectFrom('audit')
    .select([
      'number',
      'at',
      'actor_kind',
      'actor_id',
      'action',
      'target',
      'client_ip',
      'request_id',
      'outcome',
      'code',
    ]);
  if (before !== null) query = query.where('number', '<', before);
  if (action !== undefined) query = query.where('action', '=', action);
  if (actor !== undefined)
    query = query.where((eb) => eb.or([eb('actor_id', '=', actor), eb('actor_kind', '=', actor)]));
  return query.orderBy('number', 'desc').limit(limit).execute();
}
