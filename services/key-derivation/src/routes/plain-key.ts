import type { IncomingHttpHeaders } from 'node:http';
import {
  type Authenticator,
  type CredentialSource,
  readBearer,
  splitSessionTarget,
} from '@latchkey/shared/auth';
import { isContentId, maxEpoch, type Principal, parseSid } from '@latchkey/shared/contracts';
import type { PlainAnswerer } from '@latchkey/shared/http';
import { redactPath } from '@latchkey/shared/log';
import type { CountKeyRequest } from '../count-key-request.ts';
import type { KnownKeyIssuer } from '../issue-known-key.ts';
import { keyHeaders, keyRoutes } from './get-key.ts';

export interface PlainKeyOptions {
  issueKnown: KnownKeyIssuer;
  authenticator: Pick<Authenticator, 'recognize'>;
  countKeyRequest: CountKeyRequest;
  /** `VIEWER_TOKEN_FROM` */
  viewerSources?: readonly CredentialSource[];
}

/** A path of a key without a query, an escape or a host. The router knows all other forms. */
const plainPath =
  /^\/keys\/([A-Za-z0-9_-]+)(?:\/(0|[1-9][0-9]{0,9})|\/kid\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}))?$/;

/** What a plain path names. */
interface PlainKey {
  contentId: string;
  epoch: number | undefined;
  kid: string | undefined;
  route: string;
  /** As the log shows it. */
  path: string;
}

/** Paths whose parts are kept: nearly all requests ask for one of a few keys. Each takes some 300 bytes, or 1 KB with the longest ids. */
const pathsKept = 1_024;

function readPath(url: string): PlainKey | null {
  const [, contentId = '', digits, kid] = plainPath.exec(url) ?? [];
  const epoch = digits === undefined ? undefined : Number(digits);
  if (!isContentId(contentId) || (epoch ?? 0) > maxEpoch) return null;
  return {
    contentId,
    epoch,
    kid,
    route: routeOf(epoch, kid),
    path: redactPath(url),
  };
}

function routeOf(epoch: number | undefined, kid: string | undefined): string {
  if (kid !== undefined) return keyRoutes.kid;
  return epoch === undefined ? keyRoutes.whole : keyRoutes.epoch;
}

/** The parts of plain paths whose keys were served. A path that names nothing is not kept, and pushes none out. */
class PathCache {
  readonly #known = new Map<string, PlainKey>();

  read(url: string): PlainKey | null {
    return this.#known.get(url) ?? readPath(url);
  }

  keep(url: string, key: PlainKey): void {
    if (this.#known.has(url)) return;
    // Starting again costs a microsecond for each path in use.
    if (this.#known.size >= pathsKept) this.#known.clear();
    this.#known.set(url, key);
  }
}

/** What stands in a log for the id of a session. */
const hiddenSession = '?s=***';

/** A plain path with its credential. */
interface PlainRequest {
  url: string;
  named: PlainKey;
  principal: Principal;
  isSession: boolean;
}

/**
 * Answers `GET` of a key by a viewer's token in the header or by a session, where the token, the content and the lease or marks are known:
 * what nearly all requests of players are. It looks with the same functions as the route, and gives only the 200.
 */
export function createPlainKeyAnswerer(options: PlainKeyOptions): PlainAnswerer {
  const { issueKnown, authenticator, countKeyRequest, viewerSources = ['header'] } = options;
  const takesHeader = viewerSources.includes('header');
  const takesCookie = viewerSources.includes('cookie');
  const paths = new PathCache();

  function readByToken(url: string, headers: IncomingHttpHeaders): PlainRequest | null {
    const named = takesHeader ? paths.read(url) : null;
    const credential = named && readBearer(headers);
    const principal = credential ? authenticator.recognize(credential) : null;
    return named && principal && { url, named, principal, isSession: false };
  }

  /** A request that may have another credential too is left to the router. */
  function readBySession(target: string, headers: IncomingHttpHeaders): PlainRequest | null {
    if (headers.authorization !== undefined || (takesCookie && headers.cookie !== undefined)) return null;
    const { path: url, sid } = splitSessionTarget(target) ?? { path: '', sid: '' };
    const named = paths.read(url);
    const session = named && parseSid(sid);
    const principal = session && ({ kind: 'session', id: session.leaseId, session } as const);
    return named && principal && { url, named, principal, isSession: true };
  }

  return ({ method, url: target = '', headers }) => {
    if (method !== 'GET') return null;
    const request = target.includes('?') ? readBySession(target, headers) : readByToken(target, headers);
    if (!request) return null;
    const { url, named, principal, isSession } = request;
    const { contentId, epoch, kid, route, path } = named;
    const lease = headers['x-lease-id'];
    const leaseId = typeof lease === 'string' && lease !== '' ? lease : null;
    const asked = { principal, contentId, epoch, leaseId };
    const key = issueKnown(kid === undefined ? asked : { ...asked, kid });
    if (!key) return null;
    paths.keep(url, named);
    countKeyRequest(principal, contentId, null);
    const shown = isSession ? path + hiddenSession : path;
    return {
      route,
      path: shown,
      principal,
      headers: keyHeaders[isSession ? 'cross-origin' : 'same-site'],
      body: key.toString('latin1'),
    };
  };
}
