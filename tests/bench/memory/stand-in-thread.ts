import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { contentId, viewerIdOf } from './viewers.ts';

/** Stands in for the lease, content and auth services. Counts reads of leases in the memory that it shares with its parent. */
const reads = new Int32Array(workerData as SharedArrayBuffer);
const leaseLifeMs = 3_600_000;

function answer(url: string): unknown {
  if (url.startsWith('/internal/leases/')) {
    Atomics.add(reads, 0, 1);
    const viewerId = viewerIdOf(Number(url.slice(-12)));
    const expiresAt = Date.now() + leaseLifeMs;
    return { value: { viewerId, contentId, expiresAt, renewableUntil: expiresAt, revokedAt: null }, asOf: 0 };
  }
  if (url.startsWith('/internal/contents/'))
    return { content: { status: 'active', keyVersion: 1, keyPeriods: null } };
  if (url.startsWith('/internal/feed')) return { head: 0, history: '', changes: [] };
  if (url.startsWith('/internal/key-versions')) return { differing: [], missing: [] };
  return { status: 'ok' };
}

const server = createServer((request, response) => {
  request.resume();
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(answer(request.url ?? '')));
});
server.listen(0, '127.0.0.1', () => parentPort?.postMessage((server.address() as AddressInfo).port));
