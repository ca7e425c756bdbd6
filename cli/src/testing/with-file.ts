import { DatabaseSync } from 'node:sqlite';

/**
 * Opens a SQLite file beside the code under test, only during `work`. Two libraries with the same file open in one process
 * release each other's locks (sqlite.org/howtocorrupt.html, section 2.2.1).
 */
export function withFile<T>(path: string, work: (file: DatabaseSync) => T): T {
  const file = new DatabaseSync(path);
  try {
    return work(file);
  } finally {
    file.close();
  }
}
