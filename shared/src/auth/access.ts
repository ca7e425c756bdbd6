import { contentsOf, isEntitled, type Principal, type Scope } from '../contracts/index.ts';
import { AppError } from '../errors/errors.ts';

interface AccessRule {
  scopes: readonly Scope[];
  /** Whether a viewer's token is enough. */
  viewer: boolean;
  /** Whether an API key may also come as the password of `Basic`: packagers know nothing else. */
  basic?: boolean;
}

/** The table of scopes and routes (`docs/reference/contract.md#scopes`). Every route names its row. */
export const accessRules = {
  /** No credential: setup (which has its own rules), health, documents. */
  open: null,
  /**
   * Internal routes for other services, behind `INTERNAL_SECRET` (`createInternalGate`). No client's credential opens
   * them.
   */
  internal: { scopes: [], viewer: false },
  /** Any API key may ask for its own identity. */
  'any-api-key': { scopes: ['admin', 'full', 'packager', 'upload', 'playback'], viewer: false },
  /** API keys, audit, events; changing content; listing, looking up and revoking any lease. */
  manage: { scopes: ['admin', 'full'], viewer: false },
  /** Registering a content, again too: a packager states its key periods. */
  'content:register': { scopes: ['admin', 'full', 'packager'], viewer: false },
  'content:read': { scopes: ['admin', 'full', 'packager', 'playback'], viewer: false },
  /** A viewer's token needs the word `upload` in its `scope` claim. */
  presign: { scopes: ['admin', 'full', 'upload'], viewer: true },
  keys: { scopes: ['admin', 'full', 'packager', 'playback'], viewer: true },
  /** The same keys as licences. A URL that serves one key alone opens none: a licence may have any key of the content. */
  licenses: { scopes: ['admin', 'full', 'packager', 'playback'], viewer: true },
  /** Where an encoder reads its key: it names a URL that serves the key itself. */
  'key-info': { scopes: ['admin', 'full', 'packager', 'playback'], viewer: false, basic: true },
  /** Keys for packagers, by SPEKE and CPIX. */
  packaging: { scopes: ['admin', 'full', 'packager'], viewer: false, basic: true },
  /** Create, renew and release: a viewer for itself, an API key in a viewer's name. */
  leases: { scopes: ['admin', 'full'], viewer: true },
  /** Reports that a player sends about its playback. */
  'player-metrics': { scopes: [], viewer: true },
} as const satisfies Record<string, AccessRule | null>;

export type Access = keyof typeof accessRules;

/**
 * How a route names contents, for limited API keys: `docs/reference/contract.md#limited-api-keys`. Every route that takes an API key declares it, and
 * `addGuard` holds to it.
 *
 * - `none`: it names no content.
 * - `whole-server`: it is about more than contents, and refuses limited keys.
 * - `narrowed`: its handler reads and writes within `contentsOf(principal)` alone.
 * - `decided`: `decideKeyRequest` refuses with CONTENT_NOT_ENTITLED.
 * - a member of the path or the body: the id of its content.
 */
export type NamedContents =
  | 'none'
  | 'whole-server'
  | 'narrowed'
  | 'decided'
  | { readonly in: 'params' | 'body'; readonly member: string };

/** Whether the principal is an API key of some contents. */
function isLimited(principal: Principal): boolean {
  return principal.kind === 'api-key' && contentsOf(principal) !== null;
}

/** @throws AppError INSUFFICIENT_SCOPE for a limited API key */
export function assertNotLimited(principal: Principal, access: Access, detail?: string): void {
  if (!isLimited(principal)) return;
  throw new AppError('INSUFFICIENT_SCOPE', {
    detail: detail ?? 'This API key is limited to some contents, and this is about the whole server.',
    members: { scope: scopesOf(access), limited: true },
  });
}

/** @throws AppError CONTENT_NOT_FOUND for a content that does not exist for a limited API key, registered or not */
export function assertContentExists(principal: Principal, contentId: string): void {
  if (isLimited(principal) && !isEntitled(principal, contentId)) throw new AppError('CONTENT_NOT_FOUND');
}

/** Whether a route takes `Basic` too. Its 401 then offers it, because ffmpeg sends a password only if it is asked for one. */
export function takesBasic(access: Access | undefined): boolean {
  const rule: AccessRule | null = access ? accessRules[access] : null;
  return rule?.basic === true;
}

/** The scopes that reach a route, as the `scope` of a 403 names them (RFC 6750 section 3). */
export function scopesOf(access: Access): string {
  return accessRules[access]?.scopes.join(' ') ?? '';
}

/** @throws AppError INSUFFICIENT_SCOPE where the principal lacks the scope */
export function assertScope(principal: Principal, access: Access): void {
  const rule: AccessRule | null = accessRules[access];
  if (!rule) return;
  const allowed =
    principal.kind === 'api-key'
      ? rule.scopes.includes(principal.scope)
      : rule.viewer && (access !== 'presign' || (principal.kind === 'viewer' && principal.mayUpload));
  if (allowed) return;
  const scope = scopesOf(access);
  throw new AppError('INSUFFICIENT_SCOPE', {
    detail: scope
      ? `This needs an API key with one of the scopes: ${scope}.`
      : 'This takes a viewer token, not an API key.',
    members: { scope },
  });
}
