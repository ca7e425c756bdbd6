import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Stands for the lease, content and auth services, which know every viewer's lease: no database has to be filled first. */
export interface Owners {
  url: string;
  /** Leases that were read. */
  reads(): number;
  stop(): void;
}

export const contentId = 'film';
const leaseLifeMs = 3_600_000;

/** The viewer of a lease, and the lease of a viewer. */
export function leaseIdOf(viewer: number): string {
  return `00000000-0000-4000-8000-${String(viewer).padStart(12, '0')}`;
}

export function viewerIdOf(viewer: number): string {
  return `viewer-${String(viewer).padStart(12, '0')}`;
}

export async function startOwners(): Promise<Owners> {
  let reads = 0;
  const answer = (url: string): unknown => {
    if (url.startsWith('/internal/leases/')) {
      reads++;
      const viewerId = viewerIdOf(Number(url.slice(-12)));
      const expiresAt = Date.now() + leaseLifeMs;
      return {
        value: { viewerId, contentId, expiresAt, renewableUntil: expiresAt, revokedAt: null },
        asOf: 0,
      };
    }
    if (url.startsWith('/internal/contents/')) return { content: { status: 'active', keyVersion: 1 } };
    if (url.startsWith('/internal/feed')) return { head: 0, changes: [] };
    if (url.startsWith('/internal/key-versions')) return { differing: [], missing: [] };
    return { status: 'ok' };
  };
  const server = createServer((request, response: ServerResponse) => {
    request.resume();
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answer(request.url ?? '')));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    reads: () => reads,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
