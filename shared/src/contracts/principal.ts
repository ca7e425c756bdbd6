import { type Static, Type } from '../schema/type.ts';
import type { LeaseNames } from './lease-names.ts';
import { nullable } from './record.ts';
import type { SessionId } from './session-id.ts';

/** The actor, as the audit stores it. Its id is the UUID of the API key or `sub` of the viewer; null if it has neither. */
const ActorSchema = Type.Object({
  kind: Type.Enum(['api-key', 'bootstrap-key', 'viewer', 'anonymous', 'operator', 'system']),
  id: nullable(Type.String()),
});
export type Actor = Static<typeof ActorSchema>;

/**
 * The actor in an act's audit row, and the person whom a proxy with sign-on named. An operator at the database has neither address nor
 * request.
 */
export const AuditFactsSchema = Type.Object({
  actor: ActorSchema,
  person: Type.Optional(nullable(Type.String())),
  clientIp: nullable(Type.String()),
  requestId: nullable(Type.String()),
});
export type AuditFacts = Static<typeof AuditFactsSchema>;

export type AuditOutcome = 'done' | 'refused';

/** Why an act was done and what it changed. */
export interface AuditDetails {
  reason?: string;
  /** By the names that the API uses. Null: there was no such thing before, or is none after. */
  changes?: Record<string, { before: unknown; after: unknown }>;
}

/** One management action, done or refused. */
export interface AuditEntry extends AuditFacts {
  /** Noun and verb, such as `api-key.create`. */
  action: string;
  /** The target: an id or a selector. */
  target: string | null;
  outcome: AuditOutcome;
  /** The error code of a refusal. */
  code: string | null;
  details?: AuditDetails | null;
  /** The leases that an act names, for its event. The target cannot replace them: it is for readers, and credentials in it are hidden. */
  names?: LeaseNames | null;
}

/** The scopes of API keys, widest first (`docs/reference/contract.md#scopes`). */
export const scopes = ['admin', 'full', 'packager', 'upload', 'playback'] as const;

export type Scope = (typeof scopes)[number];

const limitedPrefix = 'limited-';

/**
 * The scope of a limited API key, as rows and other services have it. The release before knows neither such a scope nor the contents, so it
 * refuses the key. With a plain scope it would open all contents to the key.
 */
export type LimitedScope = `${typeof limitedPrefix}${Scope}`;

export function toLimitedScope(scope: Scope): LimitedScope {
  return `${limitedPrefix}${scope}`;
}

export const limitedScopes = scopes.map(toLimitedScope);

export function readStoredScope(stored: string): { scope: Scope; isLimited: boolean } {
  const isLimited = stored.startsWith(limitedPrefix);
  return { scope: (isLimited ? stored.slice(limitedPrefix.length) : stored) as Scope, isLimited };
}

/** The contents that a token opens, or that a limited API key names. */
export interface TokenContents {
  has(contentId: string): boolean;
  values(): Iterable<string>;
}

/** The authenticated actor. It never holds the credential, because it is logged. */
export type Principal =
  | {
      readonly kind: 'api-key';
      /** UUID; null for the bootstrap key. */
      readonly id: string | null;
      readonly name: string;
      readonly scope: Scope;
      /** The contents that exist for it; null if it is not limited: `docs/reference/contract.md#limited-api-keys`. */
      readonly contents: TokenContents | null;
      /** The key of its state in `Authority.apiKeys`, for a second look just before the act. */
      readonly cacheKey: string;
    }
  | {
      readonly kind: 'viewer';
      /** The viewer claim of the JWT, after the prefix of its issuer. */
      readonly id: string;
      /**
       * The earliest time at which the token may have been issued, by our clock: its `iat` less the tolerance for clocks.
       * Milliseconds since 1970; null if the token has no `iat`, and so may be older than anything.
       */
      readonly issuedNotBefore: number | null;
      /** The `iat` of the token, for people who look into a refusal. Missing if no token was read. */
      readonly issuedAt?: number | null;
      /** The contents that the token opens; null if it opens all. */
      readonly contents: TokenContents | null;
      /** The contents that tokens of its issuer can open at all. Null: all. Missing if no token was read. */
      readonly issuerContents?: TokenContents | null;
      /** Whether its `scope` claim has the word `upload`. */
      readonly mayUpload: boolean;
    }
  | { readonly kind: 'anonymous'; readonly id: null }
  | {
      /** The holder of a session's URL, for key requests alone. Nothing of it is checked yet: `decideBySession` does. */
      readonly kind: 'session';
      /** UUID of the lease that the URL names. */
      readonly id: string;
      readonly session: SessionId;
    };

/** All anonymous viewers share one id for leases and marks. */
const anonymousViewerId = 'anonymous';

/** The viewer id that leases and marks use; null for an API key, and for a session, whose lease has it. */
export function viewerIdOf(principal: Principal): string | null {
  if (principal.kind === 'viewer') return principal.id;
  return principal.kind === 'anonymous' ? anonymousViewerId : null;
}

export function toActor(principal: Principal | null): Actor {
  // The audit has no row about key requests, and a session makes no others.
  if (!principal || principal.kind === 'anonymous' || principal.kind === 'session')
    return { kind: 'anonymous', id: null };
  if (principal.kind === 'viewer') return { kind: 'viewer', id: principal.id };
  return principal.id === null ? { kind: 'bootstrap-key', id: null } : { kind: 'api-key', id: principal.id };
}

/** The contents that the principal's token or API key is limited to; null for all. A session has its own content. */
export function contentsOf(principal: Principal | null): TokenContents | null {
  return principal?.kind === 'viewer' || principal?.kind === 'api-key' ? principal.contents : null;
}

/** Whether the principal may have this content, as far as its token or API key says (`docs/reference/contract.md#order-of-decisions`). */
export function isEntitled(principal: Principal, contentId: string): boolean {
  return contentsOf(principal)?.has(contentId) ?? true;
}
