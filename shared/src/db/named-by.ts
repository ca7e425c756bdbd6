import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';
import { isPostgres } from './is-postgres.ts';

/** Above every text that begins with what is before it: the last code point. */
export const lastCharacter = '\u{10ffff}';

/** `TokenContents`, or a list. */
interface Patterns {
  values(): Iterable<string>;
}

/** The condition that a column of content ids, or of patterns, has one that patterns name. */
export type NamedBy = (column: RawBuilder<unknown>) => RawBuilder<boolean>;

/**
 * The ids and prefixes of `createContentPatterns` in SQL: an `in` and a range for each prefix, in the order of bytes on both databases.
 * So an index by bytes finds them. It also decides `isWithinPatterns` for a column of patterns.
 *
 * @param contents `contentsOf` a principal
 * @returns undefined for all contents
 */
export function namedBy(db: QueryExecutorProvider, contents: Patterns | null): NamedBy | undefined {
  if (contents === null) return undefined;
  const ids: string[] = [];
  const prefixes: string[] = [];
  for (const text of contents.values()) {
    if (text.endsWith('*')) prefixes.push(text.slice(0, -1));
    else ids.push(text);
  }
  const bytes = isPostgres(db) ? sql`collate "C"` : sql``;
  return (column) => {
    const conditions = [
      ...(ids.length === 0 ? [] : [sql`${column} in (${sql.join(ids)})`]),
      // The empty text is no content: it means any content in a mark, and all others in the usage.
      ...prefixes.map((prefix) =>
        prefix === ''
          ? sql`${column} <> ''`
          : sql`(${column} ${bytes} >= ${prefix} and ${column} ${bytes} < ${prefix + lastCharacter})`,
      ),
    ];
    return conditions.length === 0 ? sql`1 = 0` : sql`(${sql.join(conditions, sql` or `)})`;
  };
}
