import { validationFailure } from '@latchkey/shared/http';
import { Type } from '@latchkey/shared/schema';

/** `docs/reference/contract.md#conventions`. */
const usualMaxLimit = 500;
/** A viewer id of 1,024 bytes in base64url, each byte of it escaped, with the other parts of a mark. */
const longestCursor = 16_000;

/** `limit` and `cursor` of a list whose cursors contain the id of a viewer. */
export function markedPageQuery(defaultLimit: number, maxLimit = usualMaxLimit) {
  return {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: maxLimit, default: defaultLimit })),
    cursor: Type.Optional(
      Type.String({ maxLength: longestCursor, description: 'The next_cursor of the page before.' }),
    ),
  };
}

/** Splits rows, of which one more than the limit was read, into the page and the cursor of the next one. */
export function toMarkedPage<Row>(
  found: readonly Row[],
  limit: number,
  formatCursor: (last: Row) => string,
): { rows: Row[]; next: string | null } {
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return { rows, next: found.length > limit && last !== undefined ? formatCursor(last) : null };
}

/** For a cursor that this server did not make. */
export const foreignCursor = () =>
  validationFailure('/cursor', 'must be the next_cursor of an earlier answer');
