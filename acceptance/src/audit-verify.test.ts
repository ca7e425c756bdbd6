import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeTestFolder } from './own-process.ts';
import { createApiKey, createLease, makeScene, revokeApiKey, revokeLeases } from './server-actions.ts';
import { areContainers, startServer } from './target.ts';
import { lastAct, onceChained, verifyAudit } from './verify-audit.ts';

/** Acts of each kind that writes to the audit in its own way, until the signal. @returns how many rounds */
async function writeAudit(
  target: Awaited<ReturnType<typeof startServer>>,
  signal: AbortSignal,
): Promise<number> {
  const { client, adminApiKey } = target;
  let rounds = 0;
  for (; !signal.aborted; rounds++) {
    const scene = await makeScene(target);
    await Promise.all([
      // The number of its leases is written into its row afterwards.
      createLease(target, scene).then(() => revokeLeases(target, { contentId: scene.contentId })),
      createApiKey(target, 'playback').then(({ id }) => revokeApiKey(target, id)),
      // Refusals with a row each, and a group of strangers that is counted.
      client.post('/api/v1/content', scene.token, { id: 'x', name: 'x' }),
      client.post('/api/v1/content', undefined, { id: 'x', name: 'x' }),
    ]);
    if (rounds % 10 === 0) await client.get('/api/v1/audit/export?format=jsonl', adminApiKey);
  }
  return rounds;
}

/** Runs beside one that writes: enough for several runs of the job that chains. */
const runs = 6;

// The database of containers is not reachable from here.
it.skipIf(areContainers)(
  'latchkey audit verify finds nothing wrong beside a server that writes, and accepts the anchors of each run before',
  async () => {
    const server = await startServer();
    const database = server.database ?? {};
    const file = join(makeTestFolder(), 'anchors');
    writeFileSync(file, await verifyAudit(database));
    const stopping = new AbortController();
    const writers = Array.from({ length: 4 }, () => writeAudit(server, stopping.signal));
    const places: number[] = [];
    try {
      for (let run = 0; run < runs; run++) {
        const anchors = await verifyAudit(database, file);
        places.push(lastAct(anchors));
        writeFileSync(file, anchors);
        // A run over an audit that stands still would show nothing.
        await onceChained(database, (places.at(-1) ?? 0) + 1);
      }
    } finally {
      stopping.abort();
    }
    const rounds = (await Promise.all(writers)).reduce((sum, each) => sum + each, 0);
    expect(new Set(places).size).toBe(runs);
    // Each round has at least four: a content, its revocation, and an API key that is made and revoked.
    await onceChained(database, 4 * rounds);
    await verifyAudit(database, file);
  },
  180_000,
);
