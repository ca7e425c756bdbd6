import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTestFolder } from '@latchkey/support/black-box/own-process';
import {
  createApiKey,
  createLease,
  makeScene,
  revokeApiKey,
  revokeLeases,
} from '@latchkey/support/black-box/server-actions';
import { areContainers, startServer } from '@latchkey/support/black-box/target';
import { lastAct, onceChained, verifyAudit } from '@latchkey/support/black-box/verify-audit';
import { it } from 'vitest';

/**
 * Acts of each kind that writes to the audit in its own way, until the signal. A busy machine refuses some of them with 503.
 *
 * @returns how many acts were acknowledged
 */
async function writeAudit(
  target: Awaited<ReturnType<typeof startServer>>,
  signal: AbortSignal,
): Promise<number> {
  const { client, adminApiKey } = target;
  let acts = 0;
  const count = () => {
    acts++;
  };
  const play = async () => {
    const scene = await makeScene(target);
    count();
    // A refusal with a row of its own.
    await client.post('/api/v1/content', scene.token, { id: 'x', name: 'x' });
    await createLease(target, scene);
    // The number of its leases is written into its row afterwards.
    await revokeLeases(target, { contentId: scene.contentId });
    count();
  };
  const administer = async () => {
    const { id } = await createApiKey(target, 'playback');
    count();
    await revokeApiKey(target, id);
    count();
  };
  // A group of strangers is counted in one row.
  const knock = () => client.post('/api/v1/content', undefined, { id: 'x', name: 'x' });
  for (let round = 0; !signal.aborted; round++) {
    const exporting = round % 10 === 0 ? [client.get('/api/v1/audit/export?format=jsonl', adminApiKey)] : [];
    await Promise.allSettled([play(), administer(), knock(), ...exporting]);
  }
  return acts;
}

/** Runs of the job that chains which a verification is to meet. */
const runs = 4;

// The database of containers is not reachable from here.
it.skipIf(areContainers)(
  'latchkey audit verify finds nothing wrong beside a server that writes, and accepts the anchors of each run before',
  async () => {
    // A server of its own, whose whole audit is read again and again.
    const server = await startServer();
    const database = server.database ?? {};
    const file = join(makeTestFolder(), 'anchors');
    writeFileSync(file, await verifyAudit(database));
    const stopping = new AbortController();
    const writers = Array.from({ length: 2 }, () => writeAudit(server, stopping.signal));
    const places = new Set<number>();
    try {
      // Until the job has run several times: verifications of an audit that stands still would show nothing.
      while (places.size < runs) {
        const anchors = await verifyAudit(database, file);
        places.add(lastAct(anchors));
        writeFileSync(file, anchors);
      }
    } finally {
      stopping.abort();
    }
    const acts = (await Promise.all(writers)).reduce((sum, each) => sum + each, 0);
    await onceChained(database, acts);
    await verifyAudit(database, file);
  },
  300_000,
);
