import { type Authenticator, type CredentialSource, readBearer } from '@latchkey/shared/auth';
import { isContentId, maxEpoch } from '@latchkey/shared/contracts';
import type { PlainAnswerer } from '@latchkey/shared/http';
import type { Metrics } from '@latchkey/shared/metrics';
import type { KnownKeyIssuer } from '../issue-known-key.ts';
import { keyContentType, keyRoutes } from './get-key.ts';

export interface PlainKeyOptions {
  issueKnown: KnownKeyIssuer;
  authenticator: Pick<Authenticator, 'recognize'>;
  metrics: Pick<Metrics, 'countKeyRequest'>;
  /** `VIEWER_TOKEN_FROM` */
  viewerSources?: readonly CredentialSource[];
}

/** A path of a key without a query, an escape or a host. The router knows all other forms. */
const plainPath = /^\/keys\/([A-Za-z0-9_-]+)(?:\/(0|[1-9][0-9]{0,9}))?$/;

/**
 * Answers `GET` of a key by a viewer's token in the header, where the token, the content and the lease or marks are known: what nearly all
 * requests of players are. It looks with the same functions as the route, and gives only the 200.
 */
export function createPlainKeyAnswerer(options: PlainKeyOptions): PlainAnswerer {
  const { issueKnown, authenticator, metrics, viewerSources = ['header'] } = options;
  const takesHeader = viewerSources.includes('header');
  return ({ method, url = '', headers }) => {
    if (method !== 'GET' || !takesHeader) return null;
    const [, contentId = '', digits] = plainPath.exec(url) ?? [];
    const epoch = digits === undefined ? undefined : Number(digits);
    if (!isContentId(contentId) || (epoch ?? 0) > maxEpoch) return null;
    const credential = readBearer(headers);
    const principal = credential === null ? null : authenticator.recognize(credential);
    if (!principal) return null;
    const named = headers['x-lease-id'];
    const leaseId = typeof named === 'string' && named !== '' ? named : null;
    const key = issueKnown({ principal, contentId, epoch, leaseId });
    if (!key) return null;
    metrics.countKeyRequest('served');
    const route = epoch === undefined ? keyRoutes.whole : keyRoutes.epoch;
    return { route, principal, contentType: keyContentType, body: key.toString('latin1') };
  };
}
