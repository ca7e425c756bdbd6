import { readFileSync, writeFileSync } from 'node:fs';
import { withFile } from './with-file.ts';

/** Overwrites the first page of a table, which no opening of the file reads. */
export function damageTable(path: string, table: string): void {
  const { page, size } = withFile(path, (file) =>
    file
      .prepare(
        'select rootpage as page, page_size as size from sqlite_schema, pragma_page_size where name = ?',
      )
      .get(table),
  ) as { page: number; size: number };
  writeFileSync(path, readFileSync(path).fill(0x55, (page - 1) * size, page * size));
}
