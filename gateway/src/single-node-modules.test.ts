import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const start = fileURLToPath(new URL('single-node-start.ts', import.meta.url));

/** The packages of CommonJS that a program has loaded, as paths. */
async function readLoaded(file: string): Promise<string> {
  const program = `await import(${JSON.stringify(file)}); console.log([...Object.keys((await import('node:module')).default._cache), ...process.moduleLoadList].join('\\n'))`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  return stdout;
}

test('a single node loads no client of Postgres, Redis, NATS or another service, and no code for workers, until its configuration names one', async () => {
  const loaded = await readLoaded(start);
  expect(loaded).toContain('/node_modules/fastify/');
  for (const name of ['pg', 'ioredis', '@nats-io/transport-node', '@nats-io/jetstream', 'undici'])
    expect(loaded, name).not.toContain(`/node_modules/${name}/`);
  expect(loaded, 'code for workers').not.toContain('internal/cluster/');
});
