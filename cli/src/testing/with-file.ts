import { DatabaseSync } from 'node:sqlite';

/**
 * Opens a SQLite file beside the code under test, for as long as `work` takes and no longer: two libraries that have one file
 * open in one process take each other's locks away (sqlite.org/howtocorrupt.html, section 2.2.1).
 */
export function withFile<T>(path: string, work: (file: DatabaseSync) => T): T {
  const file = new DatabaseSync(path);
  try {
    return work(file);
  } finally {
    file.close();
  }
}
