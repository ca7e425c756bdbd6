import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type AuditFilter,
  type AuditRow,
  type Condition,
  conditionsOf,
  findNarrowest,
  findNth,
  type NumberRange,
  numbersBetween,
  readAuditRows,
} from './audit-store.ts';
import type { Database } from './own-tables.ts';

/** The orders of the list, the usual one first. Rows are numbered in the order of writing, and the list is in that order. */
export const auditOrders = ['-at', 'at'] as const;

interface AuditRange {
  /** The number that the page before ended with; null for the first page. */
  after: number | null;
  limit: number;
  order?: (typeof auditOrders)[number];
}

interface AuditPage {
  rows: AuditRow[];
  /** The `after` of the next page; null on the last one. */
  next: number | null;
}

/** Rows that one statement compares with the other filters: some 5 ms on SQLite, in which the process answers no request. */
const rowsPerStep = 1_000;
/** 8,000 rows for a page: some 50 ms, and a few times that where each is read from the disk. */
const stepsPerPage = 8;

/**
 * A page of the audit, newest first or oldest first.
 *
 * Each filter has an index, except for actions that are left out. With several filters, the search reads the rows of the filter that has the
 * fewest, which may be millions without a match. So a page ends after 8,000 of them. It may then be shorter than its limit though another
 * page follows.
 */
export async function listAuditRows(
  db: Database,
  filter: AuditFilter,
  { after, limit, order = '-at' }: AuditRange,
): Promise<AuditPage> {
  const isDescending = order === '-at';
  const within = startAfter(await numbersBetween(db, filter), after, isDescending);
  const parts: AuditPage[] = [];
  for (const conditions of conditionsOf(filter))
    parts.push(await search(db, { conditions, filter, within, limit, isDescending }));
  return merge(parts, limit, isDescending);
}

interface Search {
  conditions: readonly Condition[];
  filter: AuditFilter;
  within: NumberRange;
  limit: number;
  isDescending: boolean;
}

async function search(db: Database, { within, limit, ...query }: Search): Promise<AuditPage> {
  const { conditions, filter, isDescending } = query;
  const among =
    conditions.length < 2
      ? conditions[0]
      : await findNarrowest(db, conditions, within, rowsPerStep * stepsPerPage);
  if (conditions.length < 2 && !filter.withoutActions?.length)
    return toPage(await readAuditRows(db, { ...query, range: within, limit: limit + 1 }), limit, null);
  const found: AuditRow[] = [];
  let left = within;
  for (let step = 0; step < stepsPerPage; step++) {
    const last = await findNth(db, among, { range: left, isDescending, n: rowsPerStep });
    const range = last === null ? left : endWith(left, last, isDescending);
    const rest = { range, limit: limit + 1 - found.length, ...(among && { among }) };
    found.push(...(await readAuditRows(db, { ...query, ...rest })));
    if (found.length > limit || last === null) return toPage(found, limit, null);
    left = startAfter(left, last, isDescending);
    await nextTurn();
  }
  return { rows: found, next: isDescending ? left.below : left.above };
}

/** @param next where the rows are all there are */
function toPage(found: AuditRow[], limit: number, next: number | null): AuditPage {
  const rows = found.slice(0, limit);
  return { rows, next: found.length > limit ? (rows.at(-1)?.number ?? next) : next };
}

function startAfter(
  { above, below }: NumberRange,
  number: number | null,
  isDescending: boolean,
): NumberRange {
  if (number === null) return { above, below };
  return isDescending ? { above, below: Math.min(below, number) } : { above: Math.max(above, number), below };
}

/** @param number included */
function endWith({ above, below }: NumberRange, number: number, isDescending: boolean): NumberRange {
  return isDescending ? { above: number - 1, below } : { above, below: number + 1 };
}

/** One page of several searches, as far as all of them have looked. */
function merge(parts: readonly AuditPage[], limit: number, isDescending: boolean): AuditPage {
  const ends = parts.flatMap(({ next }) => (next === null ? [] : [next]));
  const end = ends.length === 0 ? null : isDescending ? Math.max(...ends) : Math.min(...ends);
  const isSeen = ({ number }: AuditRow) => end === null || (isDescending ? number >= end : number <= end);
  const byNumber = new Map(parts.flatMap(({ rows }) => rows.filter(isSeen)).map((row) => [row.number, row]));
  const inOrder = [...byNumber.values()].sort((a, b) =>
    isDescending ? b.number - a.number : a.number - b.number,
  );
  return toPage(inOrder, limit, end);
}
