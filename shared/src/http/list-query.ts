import { type Cursor, decodeCursor, encodeCursor } from '../db/cursor.ts';
import { Type } from '../schema/type.ts';

/** 1 to 500: `docs/reference/contract.md#conventions`. */
const maxLimit = 500;

/** `limit` and `cursor` of a list. */
export function listQuery(defaultLimit: number) {
  return {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: maxLimit, default: defaultLimit })),
    cursor: Type.Optional(
      Type.String({ maxLength: 512, description: 'The next_cursor of the page before.' }),
    ),
  };
}

/** `sort` of a list. @param orders the usual one first; a minus in front means descending */
export function sortQuery<const Order extends string>(orders: readonly [Order, ...Order[]]) {
  return {
    sort: Type.Optional(
      Type.Enum([...orders], {
        default: orders[0],
        description:
          'The order of the list; a minus means descending. A cursor holds for the order it was given in.',
      }),
    ),
  };
}

/**
 * A schema of one type that also allows null. It has one list of types, where the union of `contracts` has `anyOf`: shorter in
 * the OpenAPI document, and a 400 has one error for it.
 */
export function nullableType<T>(schema: Record<string, unknown>) {
  return Type.Unsafe<T | null>({ ...schema, type: [schema.type, 'null'] });
}

/** `next_cursor` of a page; null on the last one. */
export const NextCursorSchema = nullableType<string>({ type: 'string' });

/**
 * The page that a query with `listQuery` and `sortQuery` asks for.
 *
 * @param orders as for `sortQuery`. Optional. Default: the list has one order
 * @returns `order` is the name of the order in cursors, empty for the usual order
 * @throws AppError VALIDATION_FAILED for a cursor that this server did not make, or made for another order
 */
export function readPage<Order extends string>(
  query: { limit?: number; cursor?: string; sort?: Order },
  defaultLimit: number,
  orders: readonly [Order, ...Order[]] = ['' as Order],
) {
  const sort = query.sort ?? orders[0];
  const order = sort === orders[0] ? '' : sort;
  const after = query.cursor === undefined ? null : decodeCursor(query.cursor, order);
  return { limit: query.limit ?? defaultLimit, after, sort, order };
}

/** The number of all matches on a list's pages, counted only where the page itself does not tell. */
export async function totalOf<Total extends number | null>(
  { shown, after, next }: { shown: number; after: Cursor | null; next: string | null },
  count: () => Promise<Total>,
): Promise<number | Total> {
  return after === null && next === null ? shown : count();
}

/** Splits rows, of which one more than the limit was read, into the page and the start of the next page. */
export function nextCursor<T>(
  rows: T[],
  limit: number,
  cursorOf: (row: T) => Cursor,
  order = '',
): { rows: T[]; next: string | null } {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    rows: shown,
    next: rows.length > limit && last !== undefined ? encodeCursor(cursorOf(last), order) : null,
  };
}
