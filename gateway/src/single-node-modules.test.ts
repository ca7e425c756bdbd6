import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';

const app = fileURLToPath(new URL('single-node.ts', import.meta.url));

/** The modules that a program loads, by their addresses. Modules of Node have names. */
async function readLoaded(file: string): Promise<string> {
  const program = `
    const urls = [];
    process.getBuiltinModule('node:module').registerHooks({
      load: (url, context, next) => (urls.push(url), next(url, context)),
    });
    await import(${JSON.stringify(file)});
    console.log([...urls, ...process.moduleLoadList].join('\\n'));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  return stdout;
}

let loaded: string;
beforeAll(async () => {
  loaded = await readLoaded(app);
});

test('a single node loads no client of Postgres, Redis, NATS or another service and no parser of XML, until it needs one', () => {
  expect(loaded).toContain('/node_modules/fastify/');
  for (const name of [
    'pg',
    'ioredis',
    '@nats-io/transport-node',
    '@nats-io/jetstream',
    'undici',
    '@xmldom/xmldom',
  ])
    expect(loaded, name).not.toContain(`/node_modules/${name}/`);
});

test("a single node loads neither Node's fetch, which takes 13 MiB and a tenth of the start, nor TypeBox, whose types it needs only as types", () => {
  expect(loaded).toContain('NativeModule http');
  expect(loaded).not.toContain('internal/deps/undici/');
  expect(loaded).not.toContain('/node_modules/typebox/');
});
