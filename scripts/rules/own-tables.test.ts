import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
/** Types that name every table of the database. `own-tables.ts` of a service has them with its own tables. */
const ofAllTables = /\b(type )?(Database|Transaction|Schema|Ledger|LedgerEntry|RouteOptions|RowCore)\b/;
const sharedImport =
  /import (?:type )?\{([^}]*)\} from '@latchkey\/shared\/(?:db|events|http|process\/rows)'/g;

test('the code of a service takes the types of the database from its own-tables.ts, which has its own tables alone', () => {
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
