import type { IncomingMessage } from 'node:http';

/** What is served first where not everything can be. */
export type Rank =
  /** Always served: probes, calls between services, and what may take rights away. A revocation must not wait for an overload to end. */
  | 'always'
  /** The dashboard, the API and renewals: few, and viewers who watch depend on some of them. */
  | 'early'
  /** Keys, licences and playlists of viewers who watch. */
  | 'usual'
  /** New leases and sessions, which bring more requests later, and reports of players. */
  | 'late';

const probes = ['/health', '/ready'];
/** They disable a content or end a lease, a key or a token. Others with these methods are few. */
const endingMethods = ['DELETE', 'PATCH'];
const endingPath = /\/(?:revoke|rotate)$/;
const newcomers = ['/keys/leases', '/keys/sessions', '/api/v1/player-metrics'];
const renewal = '/keys/leases/renew';
const keys = '/keys/';
const licenses = '/licenses/';
const playlists = '/play/';
const internal = '/internal/';

/**
 * The rank of a request, by its method and its path as it was written. A path that is written in another way, with escapes, has the
 * rank of a key request.
 *
 * @param isBehindGateway whether calls of other services come to this host; elsewhere such a path is a stranger's
 */
export function createRanking(
  isBehindGateway: boolean,
): (request: Pick<IncomingMessage, 'method' | 'url'>) => Rank {
  return ({ method = '', url = '' }) => {
    if (method === 'GET' && url.startsWith(keys)) return 'usual';
    const end = url.indexOf('?');
    const path = end === -1 ? url : url.slice(0, end);
    // Without its preflight, a page could not read the 503 of the request itself.
    if (method === 'OPTIONS' || probes.includes(path) || endingMethods.includes(method)) return 'always';
    if (endingPath.test(path) || (isBehindGateway && path.startsWith(internal))) return 'always';
    if (newcomers.includes(path)) return method === 'POST' ? 'late' : 'usual';
    if (path === renewal) return 'early';
    return [keys, licenses, playlists].some((of) => path.startsWith(of)) ||
      !path.startsWith('/') ||
      path.includes('%')
      ? 'usual'
      : 'early';
  };
}

/** The route of a refused key request, as the metrics name those that no service answered; null for others. */
export function routeOfRefused({ method, url = '' }: Pick<IncomingMessage, 'method' | 'url'>): string | null {
  if (method === 'POST' && url.startsWith(licenses)) return '/licenses/*';
  return (method === 'GET' || method === 'HEAD') && url.startsWith(keys) ? '/keys/*' : null;
}
