import type { Principal, Scope } from '../contracts/index.ts';
import { AppError } from '../errors/index.ts';

interface AccessRule {
  scopes: readonly Scope[];
  /** Whether a viewer's token will do. */
  viewer: boolean;
}

/** The table of scopes and routes (`docs/contract.md#scopes`). Every route names its row. */
export const accessRules = {
  /** No credential: setup (which has rules of its own), health, documents. */
  open: null,
  /** For neighbours behind `INTERNAL_SECRET` (`createNeighbourGate`): no credential of a client reaches it. */
  internal: { scopes: [], viewer: false },
  /** Any API key may ask who it is. */
  'any-api-key': { scopes: ['admin', 'full', 'upload', 'playback'], viewer: false },
  /** API keys, audit, events; writing content; listing, looking up and revoking any lease. */
  manage: { scopes: ['admin', 'full'], viewer: false },
  'content:read': { scopes: ['admin', 'full', 'playback'], viewer: false },
  /** A viewer's token needs the word `upload` in its `scope` claim. */
  presign: { scopes: ['admin', 'full', 'upload'], viewer: true },
  keys: { scopes: ['admin', 'full', 'playback'], viewer: true },
  /** Create, renew and release: a viewer its own, an API key in a viewer's name. */
  leases: { scopes: ['admin', 'full'], viewer: true },
  /** What a player tells of itself. */
  'player-metrics': { scopes: [], viewer: true },
} as const satisfies Record<string, AccessRule | null>;

export type Access = keyof typeof accessRules;

/** The scopes that reach a route, as the `scope` of a 403 names them (RFC 6750 section 3). */
export function scopesOf(access: Access): string {
  return accessRules[access]?.scopes.join(' ') ?? '';
}

/** @throws AppError INSUFFICIENT_SCOPE where the principal may not */
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
