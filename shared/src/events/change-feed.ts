import { nullable } from '../contracts/index.ts';
import { type Static, Type } from '../schema/type.ts';
import type { Change } from './change.ts';

/** Maximum changes in one page. More than a second of mass revocations brings, and still one short statement. */
export const pageSize = 1_000;

/** How long a process may be named, and a history: a UUID, and two of them with some digits. */
const NameSchema = Type.String({ maxLength: 200 });
const Whole = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** The last number in use. */
export const FeedHeadSchema = Type.Object({ head: Whole });

/** A page as it crosses processes. The text of each change is parsed separately: a newer process may know more kinds. */
export const FeedPageSchema = Type.Object({
  head: Whole,
  history: Type.String(),
  awaited: Type.Optional(Whole),
  changes: Type.Array(
    Type.Object({
      number: Whole,
      at: Whole,
      id: Type.String(),
      previous: nullable(Type.String()),
      change: Type.Unknown(),
    }),
  ),
});
type WirePage = Static<typeof FeedPageSchema>;

/**
 * A row of the feed, with the time when it was written, in milliseconds since 1970. Its `id` is random, so a row with the
 * same number in another history has another id; `previous` is the id of the row before it, null where
 * that does not exist any more. The change is null where this code does not know its kind.
 */
export type FeedRow = Omit<WirePage['changes'][number], 'change'> & { change: Change | null };

/**
 * The changes after the requested number, in order. Removed old rows are missing. `head` is the last number in use when
 * the page was read. `history` names the database that was read. Another name means that the
 * database may have been restored to an earlier state. `awaited` is the number that a process is waiting for; missing where
 * nobody is asked to confirm.
 */
export type FeedPage = Omit<WirePage, 'changes'> & { changes: FeedRow[] };

/**
 * A process that follows the feed, and how far: it has applied every change up to the number of the history. The history is null
 * before its first read. `limitMs` is its `AUTHORITY_MAX_AGE_SECONDS`, in milliseconds.
 */
export const FollowerReportSchema = Type.Object({
  process: NameSchema,
  limitMs: Whole,
  history: nullable(NameSchema),
  applied: Whole,
});
export type FollowerReport = Static<typeof FollowerReportSchema>;

/** The change feed: every change of authority, numbered in commit order, without a gap. */
export interface ChangeFeed {
  /** @throws DatabaseIsStandby, and the database's errors */
  head(): Promise<number>;
  /**
   * Errors as for `head`. The whole page is read at one instant.
   *
   * @param report of the process that asks, where the feed has a list of followers
   */
  since(number: number, report?: FollowerReport): Promise<FeedPage>;
  /** Missing if nobody waits for the processes that follow it. */
  followers?: FeedFollowers;
}

/** The list of the processes that follow a feed, as one of them uses it. */
interface FeedFollowers {
  /** The name of this process, if it keeps the list itself. */
  self?: string;
  /** A process serves nothing any more. */
  leave(process: string): Promise<void>;
  /** Whether this process may confirm that it has applied a change. */
  mayConfirm(): boolean;
}

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
 * before it. Where there are no rows, the feed must end at the place.
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
 * The place to continue from after a page that does not continue the known rows. It is the page's last row, or the head if no
 * row of the page leads further. It always leads further, so that reading comes to an end.
 */
export function placeAtEnd({ head, changes }: FeedPage, asked: { number: number }): FeedPlace {
  const row = changes.at(-1);
  if (row && (row.number > asked.number || row.number === head)) return row;
  return { number: head, at: null, id: null };
}
