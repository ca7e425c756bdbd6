import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import {
  complete,
  endProcess,
  openProcess,
  ownAdminKey,
  startInTest,
} from '@latchkey/support/black-box/own-process';
import { makeFolder, startProcess } from '@latchkey/support/black-box/server-process';
import type { Target } from '@latchkey/support/black-box/target';
import { afterAll, expect, it } from 'vitest';
import { derive } from './derive.ts';
import { askBySpeke2, readKeys, spekeDocument } from './speke-documents.ts';

const second = { MASTER_KEY_HEX_V2: 'cd'.repeat(32), SALT_HEX_V2: 'ef'.repeat(32) };
const deriveHex = (info: string, { MASTER_KEY_HEX_V2, SALT_HEX_V2 }: Partial<typeof second> = {}) =>
  derive(info, MASTER_KEY_HEX_V2, SALT_HEX_V2).toString('hex');

const folder = makeFolder();
afterAll(() => folder.remove());
const keyOf = async ({ client }: Target, path: string) =>
  (await client.get(`/keys/${path}`, ownAdminKey)).bytes.toString('hex');

const settings = {
  ...complete,
  ADMIN_API_KEY: ownAdminKey,
  PUBLIC_URL: 'https://keys.example',
  SQLITE_PATH: join(folder.path, 'latchkey.db'),
};
/** All of them use one database, one after the other. */
const start = (more: Record<string, string> = {}) =>
  openProcess(startProcess(folder.path, { ...settings, ...more }));

const kid = randomUUID();
const askForDocument = async ({ client }: Target) => {
  const body = spekeDocument({ contentId: 'old', kids: [kid] });
  return (await askBySpeke2(client, body, { as: ownAdminKey })).bytes.toString('utf8');
};

const before = await start();
await before.target.client.post('/api/v1/content', ownAdminKey, { id: 'old', name: 'x' });
const document = await askForDocument(before.target);
await endProcess(before.server);
const rotated = await start(second);
afterAll(() => endProcess(rotated.server));

it('a second version of the master key is used for content registered afterwards, and earlier content keeps its own', async () => {
  const { json } = await rotated.target.client.post('/api/v1/content', ownAdminKey, { id: 'new', name: 'x' });
  expect(json.content.keyVersion).toBe(2);
  const again = await rotated.target.client.post('/api/v1/content', ownAdminKey, { id: 'old', name: 'y' });
  expect(again.json.content.keyVersion).toBe(1);
  expect(await keyOf(rotated.target, 'old')).toBe(deriveHex('old'));
  expect(await keyOf(rotated.target, 'new')).toBe(deriveHex('new', second));
});

it('a packager gets the same document after a restart with a second version of the master key', async () => {
  expect([...readKeys(before.target.client, document).values()]).toEqual([deriveHex(`old/kid/${kid}`)]);
  expect(await askForDocument(rotated.target)).toBe(document);
  const key = await keyOf(rotated.target, `new/kid/${kid}`);
  expect(key).toBe(deriveHex(`new/kid/${kid}`, second));
});

it('a server without a version of the master key that is in use serves the others, and names the missing variables', async () => {
  await endProcess(rotated.server);
  const after = await openProcess(startInTest(folder.path, settings));
  const { status, json } = await after.target.client.get('/ready');
  expect(status).toBe(200);
  expect(json.dependencies['master-key']).toEqual({ status: 'up', versions: [1], missing: [2] });
  expect(after.server.stderr()).toContain('Set MASTER_KEY_HEX_V2 and SALT_HEX_V2');
  expect((await after.target.client.get('/keys/old', ownAdminKey)).status).toBe(200);
  const refused = await after.target.client.get('/keys/new', ownAdminKey);
  expect([refused.status, refused.headers['x-latchkey-elsewhere']]).toEqual([503, undefined]);
});
