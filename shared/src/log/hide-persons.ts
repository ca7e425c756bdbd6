import { createHash } from 'node:crypto';
import type { LoggedRevocation } from '../contracts/index.ts';
import { networkOf } from '../net/index.ts';
import type { RequestLine } from './request-line.ts';

/** How much of a client's address the request log shows. */
type AddressDetail = 'full' | 'short' | 'none';
/** How much of a viewer's id the request log shows. */
type ViewerDetail = 'full' | 'hash' | 'none';

/** `LOG_CLIENT_IP` and `LOG_VIEWER_ID`. */
interface PersonalDetail {
  clientIp: AddressDetail;
  viewerId: ViewerDetail;
}

/** Hides in a line what the operator does not want to keep of persons. */
export type HidePersons = (line: RequestLine) => RequestLine;

/** 48 bits: among a million viewers, some 0.2 % of all installations have two with the same digits. */
const hashDigits = 12;

/** @returns null where lines show everything: nothing is done for each line then */
export function createHidePersons({ clientIp, viewerId }: PersonalDetail): HidePersons | null {
  if (clientIp === 'full' && viewerId === 'full') return null;
  const addressOf = addressRules[clientIp];
  const idOf = viewerRules[viewerId];
  return (line) => {
    const { principal, revocation } = line;
    const isViewer = principal?.kind === 'viewer' && principal.id !== null;
    return {
      ...line,
      ...(viewerId !== 'full' && { path: hideViewerInPath(line.path) }),
      clientIp: line.clientIp === null ? null : addressOf(line.clientIp),
      principal: isViewer ? { kind: principal.kind, id: idOf(principal.id ?? '') } : principal,
      ...(revocation && { revocation: hideViewer(revocation, idOf) }),
    };
  };
}

/**
 * Under another name, so that nobody revokes a viewer whose id is that hash. Of a revocation of API keys or contents nothing is
 * hidden.
 */
function hideViewer(
  { viewerId, ...ids }: LoggedRevocation,
  idOf: (id: string) => string | null,
): LoggedRevocation {
  if (viewerId === undefined) return ids;
  const shown = idOf(viewerId);
  return shown === viewerId ? { ...ids, viewerId } : { ...ids, viewerIdHash: shown ?? 'hidden' };
}

/** The one path that names a viewer. */
const hideViewerInPath = (path: string): string =>
  path.replace(/^(\/api\/v1\/viewers\/)[^/?]+(?=\/)/, '$1***');

const addressRules: Record<AddressDetail, (address: string) => string | null> = {
  full: (address) => address,
  short: shortenAddress,
  none: () => null,
};

const viewerRules: Record<ViewerDetail, (id: string) => string | null> = {
  full: (id) => id,
  // Without a key, so that an on-call engineer finds the lines of a known id: printf %s ID | sha256sum | cut -c1-12
  hash: (id) => createHash('sha256').update(id).digest('hex').slice(0, hashDigits),
  none: () => null,
};

/** The /24 of IPv4 and the /48 of IPv6: what data protection authorities accept as shortened, and a provider's customers share. */
export function shortenAddress(address: string): string {
  if (!address.includes(':')) return address.replace(/\.\d+$/, '.0');
  const [network = ''] = networkOf(address).split('::/');
  const kept = network.split(':').slice(0, 3);
  while (kept.at(-1) === '0') kept.pop();
  return `${kept.join(':')}::`;
}
