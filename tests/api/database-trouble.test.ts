import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Answer } from '@latchkey/support/black-box/answer';
import { eventually } from '@latchkey/support/black-box/eventually';
import { askForKey, createLease, makeScene, type Scene } from '@latchkey/support/black-box/server-actions';
import { type OwnSingleNode, startSingleNode } from '@latchkey/support/black-box/target';
import { expect, it, onTestFinished } from 'vitest';

/** prlimit (util-linux, Linux only) sets the limits of another process. */
const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0;
// Nodes of their own. The tests keep the first one from writing, and the last test takes the tables of both away.
const [server, patient] = await Promise.all([
  startSingleNode(),
  startSingleNode({ AUTHORITY_MAX_AGE_SECONDS: '300' }),
]);
const { client, adminApiKey: admin } = server;

/** A write beyond the limit fails, as on a full disk. The owner of the process may set and lift the soft limit. */
const limitFiles = (bytes: string) =>
  void execFileSync('prlimit', ['--pid', String(server.process.pid), `--fsize=${bytes}:`]);

/** Status of `/ready`, and of the database in it. Without writes the server is still ready (`docs/reference/contract.md#health-and-readiness`). */
async function databaseOf(): Promise<unknown[]> {
  const { status, json } = await client.get('/ready');
  return [status, json.dependencies.database.status];
}

/** Four changes, one after the other, because the revocation must come after the lease. */
async function write({ contentId, viewerId, token }: Scene): Promise<Answer[]> {
  return [
    await client.post('/api/v1/content', admin, { name: 'x' }),
    await client.post('/api/v1/api-keys', admin, { name: 'x' }),
    await client.post('/keys/leases', token, { contentId, deviceId: 'tv' }),
    await client.post('/keys/leases/revoke', admin, { viewerId }),
  ];
}

it.runIf(hasPrlimit)(
  'on a full disk changes get 503 and keys are served, and with room again changes succeed',
  async () => {
    const scene = await makeScene(server);
    const leaseId = await createLease(server, scene);
    expect(await askForKey(server, scene, leaseId)).toBe('200');
    limitFiles('0');
    onTestFinished(() => limitFiles('unlimited'));

    for (const refused of await write(scene)) {
      expect([refused.status, refused.code]).toEqual([503, 'DEPENDENCY_UNAVAILABLE']);
      expect(refused.headers['retry-after']).toMatch(/^[1-9]\d*$/);
      expect(refused.bytes.toString()).not.toMatch(/sqlite|full|disk|i\/o|rollback|\.db/i);
    }
    // A refusal is still answered, although it cannot be recorded.
    expect((await client.post('/api/v1/content', undefined, { name: 'x' })).status).toBe(401);
    expect(await askForKey(server, scene, leaseId)).toBe('200');
    expect(await databaseOf()).toEqual([200, 'degraded']);

    limitFiles('unlimited');
    expect((await write(scene)).map(({ status }) => status)).toEqual([201, 201, 201, 200]);
    expect(await askForKey(server, scene, leaseId)).toBe('403 LEASE_REVOKED');
    await eventually(async () => expect(await databaseOf()).toEqual([200, 'up']));
  },
);

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

/** Renames the tables of the change feed and of contents, so that no state can be confirmed, as without a database. */
function loseTables({ folder }: OwnSingleNode): void {
  const database = new DatabaseSync(join(folder, 'latchkey.db'));
  for (const table of ['changes', 'change_counter', 'contents'])
    database.exec(`ALTER TABLE ${table} RENAME TO ${table}_elsewhere`);
  database.close();
}

/** Waits until the server has read the changes so far. It then drops what it kept of them, and would read that again. */
async function readChanges({ client, adminApiKey }: OwnSingleNode): Promise<void> {
  const sinceMs = performance.now();
  await eventually(async () => {
    const { json } = await client.get('/api/v1/statistics?steps=1', adminApiKey);
    const [{ feedAgeMs }] = json.statistics.processes;
    expect(feedAgeMs).toBeLessThan(performance.now() - sinceMs);
  });
}

it('AUTHORITY_MAX_AGE_SECONDS=300 still serves keys when the default answers 503, and warns of it at start', async () => {
  const scenes = [await makeScene(server), await makeScene(patient)] as const;
  for (const each of [server, patient]) await readChanges(each);
  expect([await askForKey(server, scenes[0]), await askForKey(patient, scenes[1])]).toEqual(['200', '200']);
  for (const each of [server, patient]) loseTables(each);
  await eventually(async () => expect(await askForKey(server, scenes[0])).toBe('503 DEPENDENCY_UNAVAILABLE'));
  expect(await askForKey(patient, scenes[1])).toBe('200');
  expect(patient.process.stderr()).toContain('AUTHORITY_MAX_AGE_SECONDS is 300');
  expect(server.process.stderr()).not.toContain('AUTHORITY_MAX_AGE_SECONDS is');
});
