import type { Actor, AuditOutcome } from '@latchkey/shared/contracts';
import { type AuditTable, countUpTo, isPostgres } from '@latchkey/shared/db';
import { type Selectable, sql } from 'kysely';
import type { Database } from './own-tables.ts';

export type AuditRow = Selectable<AuditTable>;

/** Which rows of the audit. A member that is left out filters nothing. */
export interface AuditFilter {
  action?: string | undefined;
  /** Rows of these actions do not match. */
  withoutActions?: readonly string[] | undefined;
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

/** A column of an index and the value that it must have. */
export type Condition = readonly [
  column: 'action' | 'actor_id' | 'actor_kind' | 'outcome' | 'target',
  value: string,
];

/** Numbers of rows, both ends excluded. */
export interface NumberRange {
  above: number;
  below: number;
}

/**
 * The conditions of a filter, the one that usually leaves the fewest rows first. A row matches if it has all of one of the lists: where
 * an actor is named, its id or its kind may be meant. No index has both columns.
 */
export function conditionsOf({ action, actor, outcome, target }: AuditFilter): Condition[][] {
  const named = (columns: Condition[]): Condition[] => [
    ...(target === undefined ? [] : [['target', target] as const]),
    ...columns.filter(([column]) => column === 'actor_id'),
    ...(outcome === 'done' ? [['outcome', outcome] as const] : []),
    ...(action === undefined ? [] : [['action', action] as const]),
    ...columns.filter(([column]) => column === 'actor_kind'),
    ...(outcome === 'refused' ? [['outcome', outcome] as const] : []),
  ];
  if (actor === undefined) return [named([])];
  return [named([['actor_id', actor]]), ...(kinds.includes(actor) ? [named([['actor_kind', actor]])] : [])];
}

interface RowQuery {
  conditions: readonly Condition[];
  /** By their times, and by the actions that do not match. */
  filter: Pick<AuditFilter, 'from' | 'to' | 'withoutActions'>;
  range: NumberRange;
  isDescending: boolean;
  limit: number;
  /** Only rows that are found by this condition. */
  among?: Condition;
}

/** The rows with all conditions, in the order of their numbers. */
export function readAuditRows(
  db: Database,
  { conditions, filter: { from, to, withoutActions = [] }, range, isDescending, limit, among }: RowQuery,
): Promise<AuditRow[]> {
  return db
    .selectFrom('audit')
    .selectAll()
    .where((eb) =>
      eb.and([
        ...conditions.map(([column, value]) => eb(column, '=', value)),
        ...(from === undefined ? [] : [eb('at', '>=', from)]),
        ...(to === undefined ? [] : [eb('at', '<', to)]),
        ...(withoutActions.length === 0 ? [] : [eb('action', 'not in', withoutActions)]),
        ...(among === undefined ? [] : [sql<boolean>`number in ${numbersWith(db, among, range)}`]),
      ]),
    )
    .where('number', '<', range.below)
    .where('number', '>', range.above)
    .orderBy('number', isDescending ? 'desc' : 'asc')
    .limit(limit)
    .execute();
}

/**
 * The numbers of the rows with one condition, which an index alone tells. SQLite is told which one: for a number in a range it
 * would rather read the table. Without a condition they are all numbers of the range.
 */
function numbersWith(db: Database, condition: Condition | undefined, range: NumberRange, rest = sql``) {
  const inRange = sql`number > ${range.above} and number < ${range.below} ${rest}`;
  if (!condition) return sql<{ number: number }>`(select number from audit where ${inRange})`;
  const [column, value] = condition;
  const index = isPostgres(db) ? sql`` : sql`indexed by ${sql.ref(`audit_by_${column}_number`)}`;
  return sql<{ number: number }>`(select number from audit ${index}
    where ${sql.ref(column)} = ${value} and ${inRange})`;
}

/** The number of the nth row with the condition, if there is one; null if there are fewer rows. */
export async function findNth(
  db: Database,
  condition: Condition | undefined,
  { range, isDescending, n }: { range: NumberRange; isDescending: boolean; n: number },
): Promise<number | null> {
  const order = sql.raw(isDescending ? 'desc' : 'asc');
  const nth = numbersWith(db, condition, range, sql`order by number ${order} limit 1 offset ${n - 1}`);
  const { rows } = await sql<{ number: number }>`select number from ${nth} as nth`.execute(db);
  return rows[0]?.number ?? null;
}

/** Where several conditions are given, the one with the fewest rows in the range, as far as they are counted. */
export async function findNarrowest(
  db: Database,
  conditions: readonly Condition[],
  range: NumberRange,
  countedAtMost: number,
): Promise<Condition | undefined> {
  let fewest = countedAtMost;
  let narrowest = conditions[0];
  for (const condition of conditions) {
    const count = await countUpTo(db, (most) => firstWith(db, condition, range, most), fewest);
    if (count >= fewest) continue;
    fewest = count;
    narrowest = condition;
  }
  return narrowest;
}

function firstWith(db: Database, condition: Condition, range: NumberRange, limit: number) {
  return numbersWith(db, condition, range, sql`order by number desc limit ${limit}`);
}

/** Some milliseconds of an index. */
const totalAtMost = 10_000;

/**
 * How many rows a filter finds, counted up to 10,000. Null if no index alone tells: with several filters, or without some actions.
 */
export async function countAuditRows(db: Database, filter: AuditFilter): Promise<number | null> {
  const { from = 0, to = Number.MAX_SAFE_INTEGER } = filter;
  const ways = conditionsOf(filter);
  const isTimed = filter.from !== undefined || filter.to !== undefined;
  if (filter.withoutActions?.length || ways.some((conditions) => conditions.length > (isTimed ? 0 : 1)))
    return null;
  if (isTimed) {
    const within = db.selectFrom('audit').select('at').where('at', '>=', from).where('at', '<', to);
    return countUpTo(db, (limit) => within.orderBy('at').limit(limit), totalAtMost);
  }
  let total = 0;
  for (const [condition] of ways) {
    const every = db.selectFrom('audit').select('number').where('number', '>', 0).orderBy('number', 'desc');
    const rows = (limit: number) =>
      condition ? firstWith(db, condition, everyNumber, limit) : every.limit(limit);
    total += await countUpTo(db, rows, totalAtMost);
  }
  return Math.min(total, totalAtMost);
}

const everyNumber: NumberRange = { above: 0, below: Number.MAX_SAFE_INTEGER };

/** The numbers, both excluded, between which all rows of those times lie, so that only these rows are read. */
export async function numbersBetween(db: Database, { from, to }: AuditFilter): Promise<NumberRange> {
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
  return { above: earlier?.number ?? 0, below: later?.number ?? Number.MAX_SAFE_INTEGER };
}
