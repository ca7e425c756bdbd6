import { UnreleasedSchema } from '../unreleased-schema.ts';

/** The file is damaged, or holds something else than this version's rows. */
export class UnusableFile extends Error {}

/** Whether SQLite refused a file by its content. */
export function isUnreadable(error: unknown): boolean {
  const { code = '' } = error as { code?: string };
  return code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT');
}

/** @returns what to throw for an error of SQLite, or for rows that this version does not use */
export function explainFile(error: unknown): unknown {
  if (error instanceof UnreleasedSchema) return new UnusableFile(error.message, { cause: error });
  if (!isUnreadable(error)) return error;
  const { code } = error as { code?: string };
  const detail = code === 'SQLITE_NOTADB' ? 'it is no SQLite database' : 'it is damaged';
  return new UnusableFile(detail, { cause: error });
}
