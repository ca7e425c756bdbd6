import type { Actor, AuditOutcome } from '@latchkey/shared/contracts';
import type { AuditTable } from '@latchkey/shared/db';
import type { ExpressionBuilder, Selectable } from 'kysely';
import type { Database, Schema } from './own-tables.ts';

export type AuditRow = Selectable<AuditTable>;

/** Which rows of the audit. A member that is left out filters nothing. */
export interface AuditFilter {
  action?: string | undefined;
  /** The id of an actor, or a kind of actors. */
  actor?: string | undefined;
  outcome?: AuditOutcome | undefined;
  /** The whole text, as the audit stores it. */
  target?: string | undefined;
  /** Milliseconds since 1970: at this time or later. */
  from?: number | undefined;
  /** Milliseconds since 1970: before this time. */
  to?: number | undefined;
}

interface AuditPage {
  /** Rows before this number; null to begin with the newest. */
  before: number | null;
  limit: number;
}

const kinds: readonly string[] = [
  'api-key',
  'bootstrap-key',
  'viewer',
  'anonymous',
  'operator',
  'system',
] satisfies Actor['kind'][];

/**
 * Rows are numbered in the order of writing, but their times come from the clocks of several machines. No two clocks differ by
 * this much, so a row whose time is this much later has a higher number.
 */
const clocksDifferMs = 3_600_000;

/** What a row lacks before migrations 0004, 0005 and 0011. */
const lastColumns = { affected: null, count: null, details: null };

/** Above the number of any row. */
const endOfNumbers = Number.MAX_SAFE_INTEGER;

/** Newest first. */
export async function listAuditRows(
  db: Database,
  filter: AuditFilter,
  { before, limit }: AuditPage,
): Promise<AuditRow[]> {
  const bounds = await numbersBetween(db, filter);
  const select = (actor: 'actor_id' | 'actor_kind' | null) =>
    db
      .selectFrom('audit')
      // This code also runs before the migrations that brought the last columns.
      .selectAll()
      .where((eb) => matchesFilter(eb, filter))
      .$if(actor !== null, (query) => query.where(actor ?? 'actor_id', '=', filter.actor ?? ''))
      .where('number', '<', Math.min(before ?? endOfNumbers, bounds.before ?? endOfNumbers))
      .where('number', '>', bounds.after ?? 0)
      .orderBy('number', 'desc')
      .limit(limit)
      .execute()
      .then((rows) => rows.map((row) => ({ ...lastColumns, ...row })));
  if (filter.actor === undefined) return select(null);
  // Two queries, each with its own index, instead of one with "or": no index has both columns.
  const named = await select('actor_id');
  if (!kinds.includes(filter.actor)) return named;
  const byNumber = new Map([...named, ...(await select('actor_kind'))].map((row) => [row.number, row]));
  return [...byNumber.values()].sort((a, b) => b.number - a.number).slice(0, limit);
}

function matchesFilter(
  eb: ExpressionBuilder<Schema, 'audit'>,
  { action, outcome, target, from, to }: AuditFilter,
) {
  return eb.and([
    ...(action === undefined ? [] : [eb('action', '=', action)]),
    ...(outcome === undefined ? [] : [eb('outcome', '=', outcome)]),
    ...(target === undefined ? [] : [eb('target', '=', target)]),
    ...(from === undefined ? [] : [eb('at', '>=', from)]),
    ...(to === undefined ? [] : [eb('at', '<', to)]),
  ]);
}

/** The numbers, both excluded, between which all rows of those times lie, so that only these rows are read. */
async function numbersBetween(
  db: Database,
  { from, to }: AuditFilter,
): Promise<{ after: number | null; before: number | null }> {
  const earlier =
    from === undefined
      ? undefined
      : await db
          .selectFrom('audit')
          .select('number')
          .where('at', '<', from - clocksDifferMs)
          .orderBy('at', 'desc')
          .limit(1)
          .executeTakeFirst();
  const later =
    to === undefined
      ? undefined
      : await db
          .selectFrom('audit')
          .select('number')
          .where('at', '>', to + clocksDifferMs)
          .orderBy('at')
          .limit(1)
          .executeTakeFirst();
  return { after: earlier?.number ?? null, before: later?.number ?? null };
}
