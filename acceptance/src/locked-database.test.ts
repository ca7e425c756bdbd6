import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { eventually } from './eventually.ts';
import { askForKey, makeScene } from './server-actions.ts';
import { startSingleNode } from './target.ts';

// Its own, because its database is locked.
const server = await startSingleNode();
const { client, adminApiKey: admin } = server;

it('while the database accepts no writes, changes get 503, keys are served and /ready shows it as degraded, until writes work again', async () => {
  const scene = await makeScene(server);
  expect(await askForKey(server, scene)).toBe('200');
  const intruder = new DatabaseSync(join(server.folder, 'latchkey.db'));
  onTestFinished(() => intruder.close());
  intruder.exec('BEGIN EXCLUSIVE');

  const refused = await client.post('/api/v1/content', admin, { name: 'x' });
  expect([refused.status, refused.code]).toEqual([503, 'DEPENDENCY_UNAVAILABLE']);
  expect(refused.bytes.toString()).not.toMatch(/sqlite|busy|locked|\.db/i);
  expect((await client.post('/keys/leases/revoke', admin, { viewerId: scene.viewerId })).status).toBe(503);
  await eventually(async () => {
    const { status, json } = await client.get('/ready');
    expect([status, json.dependencies.database]).toEqual([200, { status: 'degraded', writes: false }]);
  });
  expect((await client.get('/health')).status).toBe(200);
  expect(await askForKey(server, scene)).toBe('200');

  intruder.exec('ROLLBACK');
  await eventually(async () => {
    expect((await client.get('/ready')).json.dependencies.database).toEqual({ status: 'up' });
  });
  expect((await client.post('/api/v1/content', admin, { name: 'x' })).status).toBe(201);
});
