import { viewerIdOf } from '@latchkey/shared/contracts';
import type { App } from '@latchkey/shared/http';
import type { UsageCounts } from '@latchkey/shared/statistics';
import type { FastifyRequest } from 'fastify';
import { sessionsPath } from './create-session.ts';

const leasesPath = '/keys/leases';
/** The paths that players and applications call. Lists for admins are not requests for leases. */
const countedPaths: readonly string[] = [
  leasesPath,
  `${leasesPath}/renew`,
  `${leasesPath}/revoke`,
  sessionsPath,
];
/** Their bodies name the viewer and the content of the new lease. The bodies of the other requests name a lease, or what a revocation selects. */
const creatingPaths: readonly string[] = [leasesPath, sessionsPath];

/** The bootstrap key has no id. */
const bootstrapKey = 'bootstrap-key';

/** Counts each request for a lease or a session once, when its answer has ended. */
export function countLeaseRequests(scope: App, usage: Pick<UsageCounts, 'count'>): void {
  scope.addHook('onResponse', (request, _reply, done) => {
    const { url = '', method } = request.routeOptions;
    if (countedPaths.includes(url) && method === 'POST') {
      const { principal, errorCode } = request as FastifyRequest;
      // A body that was refused may name anything.
      const names = creatingPaths.includes(url) && errorCode !== 'VALIDATION_FAILED';
      const named = names ? readNamed(request.body) : { contentId: null, viewerId: null };
      const viewerId = principal && (viewerIdOf(principal) ?? named.viewerId);
      const apiKeyId = principal?.kind === 'api-key' ? (principal.id ?? bootstrapKey) : null;
      usage.count('leases', errorCode, named.contentId, viewerId, apiKeyId);
    }
    done();
  });
}

/** Empty where the request was refused before its body was read. */
function readNamed(body: unknown): { contentId: string | null; viewerId: string | null } {
  const { contentId, viewerId } = (body ?? {}) as { contentId?: unknown; viewerId?: unknown };
  return {
    contentId: typeof contentId === 'string' ? contentId : null,
    viewerId: typeof viewerId === 'string' ? viewerId : null,
  };
}
