import { hkdfSync, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readApiDocument } from './api-document.ts';
import { type Client, createClient } from './client.ts';
import { complete, startInTest } from './own-process.ts';
import { askBySpeke2, readKeys, spekeDocument } from './packagers/speke-documents.ts';
import { makeFolder, type ServerProcess, startProcess } from './server-process.ts';
import { makeApiKey, masterKeyHex, saltHex } from './target.ts';

const second = { MASTER_KEY_HEX_V2: 'cd'.repeat(32), SALT_HEX_V2: 'ef'.repeat(32) };
const admin = makeApiKey();

function derive(masterKey: string, salt: string, contentId: string): string {
  const key = hkdfSync('sha256', Buffer.from(masterKey, 'hex'), Buffer.from(salt, 'hex'), contentId, 16);
  return Buffer.from(key).toString('hex');
}

const folder = makeFolder();
afterAll(() => folder.remove());
const keyOf = async ({ client }: Running, path: string) =>
  (await client.get(`/keys/${path}`, admin)).bytes.toString('hex');

interface Running {
  process: ServerProcess;
  client: Client;
}
const settings = { ...complete, ADMIN_API_KEY: admin, PUBLIC_URL: 'https://keys.example' };
async function attend(process: ServerProcess): Promise<Running> {
  const url = await process.listens();
  return { process, client: createClient(url, await readApiDocument(url)) };
}
/** All of them use one database, one after the other. */
const start = (more: Record<string, string> = {}) =>
  attend(startProcess(folder.path, { ...settings, SQLITE_PATH: join(folder.path, 'latchkey.db'), ...more }));
async function stop({ process }: Running): Promise<void> {
  process.kill('SIGTERM');
  await process.ended();
}

const kid = randomUUID();
const askForDocument = async ({ client }: Running) => {
  const body = spekeDocument({ contentId: 'old', kids: [kid] });
  return (await askBySpeke2(client, body, { as: admin })).bytes.toString('utf8');
};

const before = await start();
await before.client.post('/api/v1/content', admin, { id: 'old', name: 'x' });
const document = await askForDocument(before);
await stop(before);
const rotated = await start(second);
afterAll(() => stop(rotated));

it('a second version of the master key is used for content registered afterwards, and earlier content keeps its own', async () => {
  const { json } = await rotated.client.post('/api/v1/content', admin, { id: 'new', name: 'x' });
  expect(json.content.keyVersion).toBe(2);
  const again = await rotated.client.post('/api/v1/content', admin, { id: 'old', name: 'y' });
  expect(again.json.content.keyVersion).toBe(1);
  expect(await keyOf(rotated, 'old')).toBe(derive(masterKeyHex, saltHex, 'old'));
  expect(await keyOf(rotated, 'new')).toBe(derive(second.MASTER_KEY_HEX_V2, second.SALT_HEX_V2, 'new'));
});

it('a packager gets the same document after a restart with a second version of the master key', async () => {
  expect([...readKeys(before.client, document).values()]).toEqual([
    derive(masterKeyHex, saltHex, `old/kid/${kid}`),
  ]);
  expect(await askForDocument(rotated)).toBe(document);
  const key = await keyOf(rotated, `new/kid/${kid}`);
  expect(key).toBe(derive(second.MASTER_KEY_HEX_V2, second.SALT_HEX_V2, `new/kid/${kid}`));
});

it('a server without a version of the master key that is in use serves the others, and names the missing variables', async () => {
  await stop(rotated);
  const after = await attend(startInTest(folder.path, settings));
  const { status, json } = await after.client.get('/ready');
  expect(status).toBe(200);
  expect(json.dependencies['master-key']).toEqual({ status: 'up', versions: [1], missing: [2] });
  expect(after.process.stderr()).toContain('Set MASTER_KEY_HEX_V2 and SALT_HEX_V2');
  expect((await after.client.get('/keys/old', admin)).status).toBe(200);
  const refused = await after.client.get('/keys/new', admin);
  expect([refused.status, refused.headers['x-latchkey-elsewhere']]).toEqual([503, undefined]);
});
