import { execFileSync, spawnSync } from 'node:child_process';
import { expect, it, onTestFinished } from 'vitest';
import type { Answer } from './answer.ts';
import { eventually } from './eventually.ts';
import { askForKey, createLease, makeScene, type Scene } from './server-actions.ts';
import { type OwnServer, startSingleNode } from './target.ts';

/** prlimit (util-linux, Linux only) sets the limits of another process. */
const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0;
// A node of its own, which the test keeps from writing.
const server = await startSingleNode();
const { client, adminApiKey: admin } = server;

/** A write beyond the limit fails, as on a full disk. The owner of the process may set and lift the soft limit. */
const limitFiles = (bytes: string) =>
  void execFileSync('prlimit', ['--pid', String(server.process.pid), `--fsize=${bytes}:`]);

/** Status of `/ready`, and of the database in it. Without writes the server is still ready (`docs/contract.md#health-and-readiness`). */
async function databaseOf({ client: asked }: OwnServer): Promise<unknown[]> {
  const { status, json } = await asked.get('/ready');
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
    expect(await databaseOf(server)).toEqual([200, 'degraded']);

    limitFiles('unlimited');
    expect((await write(scene)).map(({ status }) => status)).toEqual([201, 201, 201, 200]);
    expect(await askForKey(server, scene, leaseId)).toBe('403 LEASE_REVOKED');
    await eventually(async () => expect(await databaseOf(server)).toEqual([200, 'up']));
  },
);
