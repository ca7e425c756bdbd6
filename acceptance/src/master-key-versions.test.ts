import { hkdfSync, randomUUID } from 'node:crypto';
import { expect, it, vi } from 'vitest';
import { readApiDocument } from './api-document.ts';
import { createClient } from './client.ts';
import { complete, makeTestFolder, startInTest } from './own-process.ts';
import { askBySpeke2, readKeys, spekeDocument } from './packagers/speke-documents.ts';
import { makeApiKey, masterKeyHex, saltHex } from './target.ts';

// Each test starts servers, which takes seconds, and longer on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const second = { MASTER_KEY_HEX_V2: 'cd'.repeat(32), SALT_HEX_V2: 'ef'.repeat(32) };
const admin = makeApiKey();

function derive(masterKey: string, salt: string, contentId: string): string {
  const key = hkdfSync('sha256', Buffer.from(masterKey, 'hex'), Buffer.from(salt, 'hex'), contentId, 16);
  return Buffer.from(key).toString('hex');
}

/** @returns a function that starts a server; all of them use one database, one after the other */
function createStarts() {
  const folder = makeTestFolder();
  return async (more: Record<string, string>) => {
    const process = startInTest(folder, { ...complete, ADMIN_API_KEY: admin, ...more });
    const url = await process.listens();
    return { process, client: createClient(url, await readApiDocument(url)) };
  };
}

it('a second version of the master key is used for content registered afterwards, and earlier content keeps its own', async () => {
  const start = createStarts();
  const keyOf = async ({ client }: Awaited<ReturnType<typeof start>>, id: string) =>
    (await client.get(`/keys/${id}`, admin)).bytes.toString('hex');

  const before = await start({});
  await before.client.post('/api/v1/content', admin, { id: 'old', name: 'x' });
  before.process.kill('SIGTERM');
  await before.process.ended();

  const after = await start(second);
  const { json } = await after.client.post('/api/v1/content', admin, { id: 'new', name: 'x' });
  expect(json.content.keyVersion).toBe(2);
  const again = await after.client.post('/api/v1/content', admin, { id: 'old', name: 'y' });
  expect(again.json.content.keyVersion).toBe(1);
  expect(await keyOf(after, 'old')).toBe(derive(masterKeyHex, saltHex, 'old'));
  expect(await keyOf(after, 'new')).toBe(derive(second.MASTER_KEY_HEX_V2, second.SALT_HEX_V2, 'new'));
});

it('a packager gets the same document after a restart with a second version of the master key', async () => {
  const start = createStarts();
  const kid = randomUUID();
  const own = { PUBLIC_URL: 'https://keys.example' };
  const body = spekeDocument({ contentId: 'old', kids: [kid] });
  const ask = async ({ client }: Awaited<ReturnType<typeof start>>) =>
    (await askBySpeke2(client, body, { as: admin })).bytes.toString('utf8');

  const before = await start(own);
  await before.client.post('/api/v1/content', admin, { id: 'old', name: 'x' });
  const document = await ask(before);
  expect([...readKeys(before.client, document).values()]).toEqual([
    derive(masterKeyHex, saltHex, `old/kid/${kid}`),
  ]);
  before.process.kill('SIGTERM');
  await before.process.ended();

  const after = await start({ ...own, ...second });
  expect(await ask(after)).toBe(document);
  await after.client.post('/api/v1/content', admin, { id: 'new', name: 'x' });
  const key = (await after.client.get(`/keys/new/kid/${kid}`, admin)).bytes.toString('hex');
  expect(key).toBe(derive(second.MASTER_KEY_HEX_V2, second.SALT_HEX_V2, `new/kid/${kid}`));
});

it('a server without a version of the master key that is in use serves the others, and names the missing variables', async () => {
  const start = createStarts();
  const before = await start({});
  await before.client.post('/api/v1/content', admin, { id: 'old', name: 'x' });
  before.process.kill('SIGTERM');
  await before.process.ended();
  const rotated = await start(second);
  await rotated.client.post('/api/v1/content', admin, { id: 'new', name: 'x' });
  rotated.process.kill('SIGTERM');
  await rotated.process.ended();

  const after = await start({});
  const { status, json } = await after.client.get('/ready');
  expect(status).toBe(200);
  expect(json.dependencies['master-key']).toEqual({ status: 'up', versions: [1], missing: [2] });
  expect(after.process.stderr()).toContain('Set MASTER_KEY_HEX_V2 and SALT_HEX_V2');
  expect((await after.client.get('/keys/old', admin)).status).toBe(200);
  const refused = await after.client.get('/keys/new', admin);
  expect([refused.status, refused.headers['x-latchkey-elsewhere']]).toEqual([503, undefined]);
});
