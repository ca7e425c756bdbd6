import { type Static, Type } from 'typebox';
import { nullable } from '../contracts/index.ts';
import type { Change } from './change.ts';

/** Maximum changes in one page. More than a second of mass revocations brings, and still one short statement. */
export const pageSize = 1_000;

const Whole = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const OptionalText = Type.Optional(nullable(Type.String()));

/** The last number in use. */
export const FeedHeadSchema = Type.Object({ head: Whole });

/** A page as it crosses processes. The text of each change is parsed separately: a newer process may know more kinds. */
export const FeedPageSchema = Type.Object({
  head: Whole,
  history: OptionalText,
  changes: Type.Array(
    Type.Object({
      number: Whole,
      at: Whole,
      id: OptionalText,
      previous: OptionalText,
      change: Type.Unknown(),
    }),
  ),
});
type WirePage = Static<typeof FeedPageSchema>;

/**
 * A row of the feed, with the time when it was written, in milliseconds since 1970. Its `id` is random, so a row with the
 * same number in another history has another id; `previous` is the id of the row before it. Rows that 0.2.0 wrote have
 * neither. The change is null where this code does not know its kind.
 */
export type FeedRow = Omit<WirePage['changes'][number], 'change'> & { change: Change | null };

/**
 * The changes after the requested number, in order. Removed old rows are missing. `head` is the last number in use when
 * the page was read. `history` names the database that was read, where that is known. Another name means that the
 * database may have been restored to an earlier state.
 */
export type FeedPage = Omit<WirePage, 'changes'> & { changes: FeedRow[] };

/** The change feed: every change of authority, numbered in commit order, without a gap. */
export interface ChangeFeed {
  /** @throws DatabaseIsStandby, and the database's errors */
  head(): Promise<number>;
  /** Errors as for `head`. The whole page is read at one instant. */
  since(number: number): Promise<FeedPage>;
}
