// `npm run check -- dashboard-types`: makes the types of the dashboard's calls of the server's own /openapi.json.
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeFolder } from '@latchkey/support/black-box/server-process';
import { readFlags } from '@latchkey/support/read-flags';
import { type OpenApi, readOpenApi } from './open-api.ts';

/** From the root of the repository. */
export const typesPath = 'admin/src/api/schema.ts';

const root = join(import.meta.dirname, '..');
const head = `// Made by npm run check -- dashboard-types from the server's own /openapi.json. Change the schemas of its routes.

`;

/** The whole of the types. */
export async function renderTypes(openApi: OpenApi): Promise<string> {
  const folder = makeFolder();
  try {
    const [from, to] = [join(folder.path, 'openapi.json'), join(folder.path, 'schema.ts')];
    writeFileSync(from, JSON.stringify(openApi, omitRefusals));
    const program = join(root, 'tests/node_modules/.bin/openapi-typescript');
    await promisify(execFile)(program, [
      from,
      '--output',
      to,
      '--root-types',
      '--root-types-no-schema-prefix',
    ]);
    const types = readFileSync(to, 'utf8');
    return head + types.slice(types.indexOf('export'));
  } finally {
    folder.remove();
  }
}

/** For JSON.stringify: refusals are problem documents, all of one type, and most of the text. */
function omitRefusals(key: string, value: unknown): unknown {
  return /^[345]\d\d$/.test(key) ? undefined : value;
}

if (import.meta.main) {
  readFlags(
    `npm run check -- dashboard-types: writes ${typesPath} from the server's own /openapi.json\n`,
    {},
  );
  writeFileSync(join(root, typesPath), await renderTypes(await readOpenApi()));
  console.log(`${typesPath} is written`);
}
