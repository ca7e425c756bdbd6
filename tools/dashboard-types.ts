// `npm run check -- dashboard-types`: makes the types of the dashboard's calls of the server's own /openapi.json.
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeFolder, startProcess } from '@latchkey/support/black-box/server-process';
import { readFlags } from '@latchkey/support/read-flags';

/** From the root of the repository. */
export const typesPath = 'admin/src/api/schema.ts';

const root = join(import.meta.dirname, '..');
const head = `// Made by npm run check -- dashboard-types from the server's own /openapi.json. Change the schemas of its routes.

`;

interface Operation {
  responses: Record<string, unknown>;
}

interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
}

/** The whole of the types, of a server that is started for it. */
export async function renderTypes(): Promise<string> {
  const folder = makeFolder();
  try {
    const [from, to] = [join(folder.path, 'openapi.json'), join(folder.path, 'schema.ts')];
    writeFileSync(from, JSON.stringify(withoutRefusals(await readDocument(folder.path))));
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

async function readDocument(folder: string): Promise<OpenApi> {
  const env = { PORT: '0', HOST: '127.0.0.1', METRICS_PORT: '0', SQLITE_PATH: join(folder, 'latchkey.db') };
  const server = startProcess(folder, env);
  try {
    const response = await fetch(`${await server.listens()}/openapi.json`);
    if (!response.ok) throw new Error(`GET /openapi.json answered ${response.status}`);
    return (await response.json()) as OpenApi;
  } finally {
    server.kill('SIGKILL');
    await server.ended();
  }
}

/** Refusals are problem documents, all of one type, and most of the text. */
function withoutRefusals({ paths, ...rest }: OpenApi): OpenApi {
  for (const operation of Object.values(paths).flatMap((path) => Object.values(path)))
    operation.responses = Object.fromEntries(
      Object.entries(operation.responses).filter(([status]) => status.startsWith('2')),
    );
  return { ...rest, paths };
}

if (import.meta.main) {
  readFlags(
    `npm run check -- dashboard-types: writes ${typesPath} from the server's own /openapi.json\n`,
    {},
  );
  writeFileSync(join(root, typesPath), await renderTypes());
  console.log(`${typesPath} is written`);
}
