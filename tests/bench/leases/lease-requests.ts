import { viewerToken } from '@latchkey/support/tokens';
import type { Request } from 'autocannon';
import { tokenSecret } from '../servers.ts';

/** The requests that each connection repeats: creations alone, or a creation, a renewal and a release. */
export type LeaseCycle = 'create' | 'create, renew, release';

/** Whole cycles, and fewer than the leases that a viewer may make in a minute. */
const actsOfViewer = 300;
let viewers = 0;

/**
 * The requests of one connection, which is one viewer after another.
 *
 * @param further headers
 */
export function leaseRequests(
  contentId: string,
  cycle: LeaseCycle,
  further: Readonly<Record<string, string>>,
): Request[] {
  let acts = 0;
  let token = '';
  let leaseId = '';
  const post = (path: string, bodyOf: () => object, onResponse?: (status: number, body: string) => void) => ({
    method: 'POST' as const,
    path,
    setupRequest(request: Request): Request {
      if (acts++ % actsOfViewer === 0) token = viewerToken(tokenSecret, `viewer-${viewers++}`);
      const authorization = `Bearer ${token}`;
      const headers = { ...further, authorization, 'content-type': 'application/json' };
      return { ...request, headers, body: JSON.stringify(bodyOf()) };
    },
    onResponse,
  });
  const create = post(
    '/keys/leases',
    () => ({ contentId }),
    (status, body) => {
      // The load ends with an error if there is one.
      if (status === 201) leaseId = JSON.parse(body).lease.id;
    },
  );
  if (cycle === 'create') return [create];
  return [
    create,
    post('/keys/leases/renew', () => ({ leaseId })),
    post('/keys/leases/revoke', () => ({ leaseId })),
  ];
}
