import { viewerToken } from '@latchkey/support/tokens';
import { keyPath } from '../keys/viewers.ts';
import { requestText } from '../load/request-source.ts';
import { adminKey, call, tokenSecret } from '../servers.ts';
import type { Node } from './start-nodes.ts';
import { connectToEach, type WorkerConnection } from './worker-connections.ts';

/** One revocation, in milliseconds. */
export interface RevocationSample {
  /** From its request to its answer. */
  answeredMs: number;
  /** From its request until the last worker has answered 403. */
  refusedMs: number;
  /** From its answer until the last worker has answered 403; 0 where that was before. */
  afterAnswerMs: number;
  /** Keys that some worker served to requests that were sent after the answer. None may be. */
  servedAfter: number;
}

/** Revokes leases one after the other, while a connection to each worker asks for the key of each without a pause. */
export async function revokeOnWorkers(node: Node, times: number): Promise<RevocationSample[]> {
  const first = requestText(keyPath, 'keys.example', [`authorization: Bearer ${adminKey}`]);
  const connections = await connectToEach(node.port, node.workerPids, first);
  const samples: RevocationSample[] = [];
  try {
    for (let n = 0; n < times; n++) samples.push(await revokeOnce(node, connections, n));
  } finally {
    for (const connection of connections) connection.end();
  }
  return samples;
}

async function revokeOnce(
  { url }: Node,
  connections: readonly WorkerConnection[],
  n: number,
): Promise<RevocationSample> {
  const token = viewerToken(tokenSecret, `revoked-${n}`);
  const created = await call(url, 'POST', '/keys/leases', token, { contentId: 'film' });
  const { id } = (created as { lease: { id: string } }).lease;
  const request = requestText(keyPath, 'keys.example', [
    `authorization: Bearer ${token}`,
    `x-lease-id: ${id}`,
  ]);
  // From here on each worker knows the lease.
  for (const status of await Promise.all(connections.map(({ ask }) => ask(request))))
    if (status !== 200) throw new Error(`a worker answered ${status} before the revocation`);
  const startedAtMs = performance.now();
  let answeredAtMs = Number.POSITIVE_INFINITY;
  const revoking = call(url, 'POST', '/keys/leases/revoke', adminKey, { leaseId: id }).then(() => {
    answeredAtMs = performance.now();
  });
  let servedAfter = 0;
  const untilRefused = async ({ ask }: WorkerConnection): Promise<number> => {
    for (;;) {
      const isAfter = performance.now() > answeredAtMs;
      const status = await ask(request);
      if (status === 403) return performance.now();
      if (isAfter && status === 200) servedAfter++;
    }
  };
  const [, ...refusedAtMs] = await Promise.all([revoking, ...connections.map(untilRefused)]);
  const lastMs = Math.max(...refusedAtMs);
  return {
    answeredMs: answeredAtMs - startedAtMs,
    refusedMs: lastMs - startedAtMs,
    afterAnswerMs: Math.max(0, lastMs - answeredAtMs),
    servedAfter,
  };
}
