import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Migration } from 'kysely/migration';

/** These run no statement: a migration only compiles its statements on them. */
const dialects = {
  Postgres: {
    createDriver: () => new DummyDriver(),
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
  SQLite: {
    createDriver: () => new DummyDriver(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
} as const;

/** Patterns for what the release before may still read, or write otherwise, in SQL whose quoted names were removed. */
const breaking: readonly [what: string, pattern: RegExp][] = [
  ['takes something away', /\b(drop|truncate|delete from)\b/],
  ['renames', /\brename\b/],
  ['changes a type', /\balter column \S+ (?:set data )?type\b/],
  ['demands a value', /\bset not null\b/],
  ['demands a value', /^(?=.*\badd column )(?!.*\bdefault\b).*\bnot null\b/],
  [
    'refuses rows that were allowed',
    /\bcreate unique index\b|\badd (constraint|unique|check|foreign|primary)\b/,
  ],
];

/**
 * Finds the statements of a migration that could break a server of the release before, on either database.
 *
 * @returns sentences such as `Postgres: renames: alter table "leases" rename column "a" to "b"`
 */
export async function findBreakingStatements(migration: Migration): Promise<string[]> {
  const found: string[] = [];
  for (const [name, dialect] of Object.entries(dialects)) {
    const statements: string[] = [];
    const db = new Kysely<unknown>({ dialect, log: ({ query }) => void statements.push(query.sql) });
    await migration.up(db);
    for (const statement of statements) {
      for (const [what, pattern] of breaking) {
        const parts = withoutNames(statement).split(/,(?= add column )/);
        if (parts.some((part) => pattern.test(part))) found.push(`${name}: ${what}: ${statement}`);
      }
    }
  }
  return found;
}

/** In lower case, on one line, with every quoted name and text as `x`. */
function withoutNames(statement: string): string {
  return statement
    .replace(/"[^"]*"|'[^']*'/g, 'x')
    .replace(/\s+/g, ' ')
    .toLowerCase();
}
