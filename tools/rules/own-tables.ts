/** Types of the whole database. `own-tables.ts` of a service exports them with its own tables only. */
const ofAllTables = /^(type )?(Database|Transaction|Schema|Ledger|LedgerEntry|RouteOptions|RowCore)\b/;
const sharedImport =
  /import (?:type )?\{([^}]*)\} from '@latchkey\/shared\/(?:db|events|http|process\/rows)'/g;

/** Finds imports of the types of the whole database by the code of a service. */
export function findForeignTables(file: string, text: string): string[] {
  if (!/^services\/[^/]+\/src\/.*\.ts$/.test(file) || /\.(test|fixture)\.ts$|own-tables\.ts$/.test(file))
    return [];
  return [...text.matchAll(sharedImport)]
    .flatMap(([, names = '']) => names.split(',').map((name) => name.trim()))
    .filter((name) => ofAllTables.test(name))
    .map((name) => `${file} imports ${name} from shared: import it from own-tables.ts`);
}
