import type { Actor, Scope } from '../contracts/index.ts';

/** Who acts, once authenticated. It never holds the credential, because it is logged. */
export type Principal =
  | {
      readonly kind: 'api-key';
      /** UUID; null for the bootstrap key. */
      readonly id: string | null;
      readonly name: string;
      readonly scope: Scope;
      /** Where `Authority.apiKeys` keeps its state, to look again at the last moment. */
      readonly cacheKey: string;
    }
  | {
      readonly kind: 'viewer';
      /** `sub` of the JWT. */
      readonly id: string;
      /** `iat`, milliseconds since 1970; null where the token has none. */
      readonly issuedAt: number | null;
      /** The contents that the token opens; null where it does not say, and so opens all. */
      readonly contents: ReadonlySet<string> | null;
      /** Whether its `scope` claim has the word `upload`. */
      readonly mayUpload: boolean;
    }
  | { readonly kind: 'anonymous'; readonly id: null };

/** All anonymous viewers are one, as far as leases and marks go. */
const anonymousViewerId = 'anonymous';

/** The viewer that leases and marks know; null for an API key. */
export function viewerIdOf(principal: Principal): string | null {
  if (principal.kind === 'viewer') return principal.id;
  return principal.kind === 'anonymous' ? anonymousViewerId : null;
}

export function toActor(principal: Principal | null): Actor {
  if (!principal || principal.kind === 'anonymous') return { kind: 'anonymous', id: null };
  if (principal.kind === 'viewer') return { kind: 'viewer', id: principal.id };
  return principal.id === null ? { kind: 'bootstrap-key', id: null } : { kind: 'api-key', id: principal.id };
}
