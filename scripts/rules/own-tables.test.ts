import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
/** Types of the whole database. `own-tables.ts` of a service exports them with its own tables only. */
const ofAllTables = /\b(type )?(Database|Transaction|Schema|Ledger|LedgerEntry|RouteOptions|RowCore)\b/;
const sharedImport =
  /import (?:type )?\{([^}]*)\} from '@latchkey\/shared\/(?:db|events|http|process\/rows)'/g;

test('the code of a service imports the types of the database only from its own-tables.ts', () => {
  const files = globSync('services/*/src/**/*.ts', { cwd: root }).filter(
    (file) => !/\.(test|fixture)\.ts$|own-tables\.ts$/.test(file),
  );
  expect(files.length).toBeGreaterThan(50);
  const wrong = files.filter((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(sharedImport)].some(([, names = '']) =>
      names.split(',').some((name) => ofAllTables.test(` ${name.trim()} `)),
    ),
  );
  expect(wrong).toEqual([]);
});
