import { Type } from 'typebox';
import { type Cursor, decodeCursor, encodeCursor } from '../db/cursor.ts';

/** 1 to 500: `docs/contract.md#conventions`. */
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

/**
 * A schema of one type that also allows null. It has one list of types, where the union of `contracts` has `anyOf`: shorter in
 * the OpenAPI document, and a 400 has one error for it.
 */
export function nullableType<T>(schema: Record<string, unknown>) {
  return Type.Unsafe<T | null>({ ...schema, type: [schema.type, 'null'] });
}

/** `next_cursor` of a page; null on the last one. */
export const NextCursorSchema = nullableType<string>({ type: 'string' });

/** @throws AppError VALIDATION_FAILED for a cursor that this server did not make */
export function page(
  query: { limit?: number; cursor?: string },
  defaultLimit: number,
): { limit: number; after: Cursor | null } {
  return {
    limit: query.limit ?? defaultLimit,
    after: query.cursor === undefined ? null : decodeCursor(query.cursor),
  };
}

/** Splits rows, of which one more than the limit was read, into the page and the start of the next page. */
export function nextCursor<T>(
  rows: T[],
  limit: number,
  cursorOf: (row: T) => Cursor,
): { rows: T[]; next: string | null } {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    rows: shown,
    next: rows.length > limit && last !== undefined ? encodeCursor(cursorOf(last)) : null,
  };
}
