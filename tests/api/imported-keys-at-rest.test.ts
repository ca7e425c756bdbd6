import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Client } from '@latchkey/support/black-box/client';
import { endProcess, makeTestFolder, openInTest, ownAdminKey } from '@latchkey/support/black-box/own-process';
import type { Environment } from '@latchkey/support/black-box/server-process';
import { runCli } from '@latchkey/support/processes/run-cli';
import { findProgram } from '@latchkey/support/stores/own-stores';
import { runSql } from '@latchkey/support/stores/run-sql';
import { expect, it, onTestFinished } from 'vitest';

const run = promisify(execFile);
const second = { MASTER_KEY_HEX_V2: 'cd'.repeat(32), SALT_HEX_V2: 'ef'.repeat(32) };
/** Enough for many pages of a database. */
const keyCount = 200;
const contentCount = 10;
const atOnce = 20;

async function start(folder: string, env: Environment = {}) {
  const { server, target } = await openInTest(folder, env);
  return { server, client: target.client };
}

interface ImportedKey {
  /** The epoch's path, below `/keys/` and the content. */
  path: string;
  contentId: string;
  epoch: number;
  key: Buffer;
}

/** Works on all of the keys, several at once. */
async function forEach(
  keys: readonly ImportedKey[],
  work: (key: ImportedKey) => Promise<void>,
): Promise<void> {
  const left = [...keys];
  const workOff = async () => {
    for (let key = left.pop(); key !== undefined; key = left.pop()) await work(key);
  };
  await Promise.all(Array.from({ length: atOnce }, workOff));
}

const asAdmin = { as: ownAdminKey, isOneOfMany: true };

async function importLibrary({ client }: { client: Client }): Promise<ImportedKey[]> {
  const keys = Array.from({ length: keyCount }, (_, n) => {
    const contentId = `film-${n % contentCount}`;
    const epoch = Math.floor(n / contentCount);
    return { contentId, epoch, path: `${contentId}/${epoch}`, key: randomBytes(16) };
  });
  for (let n = 0; n < contentCount; n++)
    await client.post('/api/v1/content', ownAdminKey, { id: `film-${n}`, name: `Film ${n}` });
  await forEach(keys, async ({ contentId, epoch, key }) => {
    const path = `/api/v1/content/${contentId}/keys/${epoch}`;
    expect((await client.call('PUT', path, { ...asAdmin, body: key })).status).toBe(204);
  });
  return keys;
}

async function expectServed({ client }: { client: Client }, keys: readonly ImportedKey[]): Promise<void> {
  await forEach(keys, async ({ path, key }) =>
    expect((await client.call('GET', `/keys/${path}`, asAdmin)).bytes).toEqual(key),
  );
}

/** The forms in which a key could lie somewhere: its octets, hex in both cases, base64 in both alphabets. */
const formsOf = (key: Buffer) => [
  key,
  Buffer.from(key.toString('hex')),
  Buffer.from(key.toString('hex').toUpperCase()),
  // Without the last group, which padding ends in two ways.
  Buffer.from(key.toString('base64').slice(0, 20)),
  Buffer.from(key.toString('base64url').slice(0, 20)),
];

/** @returns how many of the keys lie anywhere in the texts, in any form */
function countFound(texts: readonly Buffer[], keys: readonly ImportedKey[]): number {
  // By their first four bytes: to look for each form by itself would read the texts a thousand times.
  const byBeginning = new Map<number, { form: Buffer; key: Buffer }[]>();
  for (const { key } of keys)
    for (const form of formsOf(key)) {
      const beginning = form.readUInt32LE();
      byBeginning.set(beginning, [...(byBeginning.get(beginning) ?? []), { form, key }]);
    }
  const found = new Set<Buffer>();
  for (const text of texts)
    for (let at = 0; at + 4 <= text.length; at++)
      for (const { form, key } of byBeginning.get(text.readUInt32LE(at)) ?? [])
        if (form.equals(text.subarray(at, at + form.length))) found.add(key);
  return found.size;
}

it('imported keys are served, also after a restart with a second master key, and lie unwrapped neither in the database on SQLite nor in its backup nor in a log', async () => {
  const folder = makeTestFolder();
  const first = await start(folder);
  const keys = await importLibrary(first);
  await expectServed(first, keys);
  await runCli(['backup', join(folder, 'copy.db')], { SQLITE_PATH: join(folder, 'latchkey.db') });
  const filesOf = () => readdirSync(folder).map((name) => readFileSync(join(folder, name)));
  expect(readdirSync(folder)).toEqual(expect.arrayContaining(['copy.db', 'latchkey.db', 'latchkey.db-wal']));
  const logs = [first.server.stdout(), first.server.stderr()].map((text) => Buffer.from(text));
  expect(countFound([...filesOf(), ...logs], keys)).toBe(0);
  // The search does find keys that the bytes contain.
  expect(countFound([Buffer.concat(keys.map(({ key }) => key))], keys)).toBe(keyCount);
  expect(filesOf().some((file) => file.includes('film-7'))).toBe(true);
  await endProcess(first.server, 'SIGKILL');

  const after = await start(folder, second);
  await expectServed(after, keys);
  const { json } = await after.client.post('/api/v1/content', ownAdminKey, { id: 'new', name: 'x' });
  expect(json.content.keyVersion).toBe(2);
  const key = randomBytes(16);
  await after.client.call('PUT', '/api/v1/content/new/keys', { as: ownAdminKey, body: key });
  expect((await after.client.get('/keys/new', ownAdminKey)).bytes).toEqual(key);
  await endProcess(after.server);

  // Without the version under which they are wrapped, there is an answer and no wrong key.
  const third = await start(folder);
  expect((await third.client.get('/keys/new', ownAdminKey)).status).toBe(503);
  await expectServed(third, keys.slice(0, 10));
}, 300_000);

it('imported keys lie unwrapped nowhere in a dump of Postgres, and a row that was changed there gives 503 and no key', async () => {
  const postgres = process.env.TEST_POSTGRES_URL ?? '';
  const name = `latchkey_imported_${randomBytes(6).toString('hex')}`;
  const database = new URL(postgres);
  database.pathname = `/${name}`;
  const url = database.toString();
  await runSql(postgres, `create database ${name} template template0`);
  onTestFinished(async () => {
    await runSql(postgres, `drop database if exists ${name} with (force)`);
  });
  const folder = makeTestFolder();
  const node = await start(folder, { DATABASE_URL: url });
  const { server } = node;
  const keys = await importLibrary(node);
  const dump = join(folder, 'latchkey.sql');
  await run(findProgram('pg_dump') ?? 'pg_dump', ['--format=plain', '--file', dump, url]);
  const text = readFileSync(dump);
  expect(text.toString().match(/^film-\d+\t\d+\t[0-9a-f]{48}\t/gm)).toHaveLength(keyCount);
  expect(countFound([text, Buffer.from(server.stdout())], keys)).toBe(0);
  await expectServed(node, keys);

  await runSql(
    url,
    `update imported_keys set wrapped_key = reverse(wrapped_key) where content_id = 'film-0' and epoch = 0`,
    `update contents set imported_keys_revision = imported_keys_revision + 1 where id = 'film-0'`,
  );
  await endProcess(server);
  const again = await start(folder, { DATABASE_URL: url });
  expect((await again.client.get('/keys/film-0/0', ownAdminKey)).status).toBe(503);
  expect(again.server.stderr()).toContain('does not open under the master key');
  expect((await again.client.get('/keys/film-0/1', ownAdminKey)).status).toBe(200);
}, 300_000);
