/** The parts of the baseline that SQLite and Postgres write differently. */
export interface Dialect {
  /** A primary key that counts by itself. */
  counted: string;
  /** Ends a table of which most is its primary key: a separate index would double its size. */
  keyOnly: string;
  /** Follows an indexed text whose beginnings are searched for. */
  bytes: string;
  /** 32 random hex digits. */
  randomId: string;
}

export const sqlite: Dialect = {
  counted: 'integer primary key',
  keyOnly: 'without rowid',
  // SQLite compares bytes.
  bytes: '',
  randomId: 'lower(hex(randomblob(16)))',
};

export const postgres: Dialect = {
  // An integer of Postgres ends at 2^31: a flood of refusals gets there within days.
  counted: 'bigint primary key generated always as identity',
  keyOnly: '',
  // Most collations of Postgres do not keep the texts with the same beginning together.
  bytes: 'collate "C"',
  randomId: `replace(gen_random_uuid()::text, '-', '')`,
};
