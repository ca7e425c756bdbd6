import type { FeedPage, FeedRow } from './change-feed.ts';

/** Identifies a row among rows of other histories with the same number. Null where unknown. */
export interface RowFacts {
  /** Milliseconds since 1970. */
  readonly at: number | null;
  readonly id?: string | null;
}

/** A row of the feed, as far as it is known. */
export interface FeedPlace extends RowFacts {
  readonly number: number;
  readonly id: string | null;
}

/** Whether two rows with the same number belong to different histories: by their ids, else by their times. */
export function differs(a: RowFacts, b: RowFacts): boolean {
  if (a.id != null && b.id != null) return a.id !== b.id;
  return a.at !== null && b.at !== null && a.at !== b.at;
}

/**
 * Whether these rows are all that came after a place: each number follows the one before, and each row names the row
 * before it (where both have an id). Where there are no rows, the feed must end at the place.
 *
 * @param head of the feed when the rows were read
 */
export function continues(
  rows: readonly FeedRow[],
  place: RowFacts & { number: number },
  head: number,
): boolean {
  let before = place;
  for (const row of rows) {
    if (row.number !== before.number + 1) return false;
    if (row.previous != null && before.id != null && row.previous !== before.id) return false;
    before = row;
  }
  return rows.length > 0 || head <= place.number;
}

/**
 * Where to continue after a page that does not continue the known rows: at its last row, or at the head where no row of
 * the page leads further. It always leads further, so that reading comes to an end.
 */
export function placeAtEnd({ head, changes }: FeedPage, asked: { number: number }): FeedPlace {
  const row = changes.at(-1);
  if (row && (row.number > asked.number || row.number === head)) return { ...row, id: row.id ?? null };
  return { number: head, at: null, id: null };
}
