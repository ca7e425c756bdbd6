import { type ContentState, isSecretOf, type LeaseState, type SessionId } from '../contracts/index.ts';
import type { ErrorCode } from '../errors/errors.ts';
import { mayHaveBeenRenewed } from './expired-lease.ts';
import type { KnownStates, UnknownState } from './settle-decision.ts';

/** A request by the URL of a session. */
interface SessionRequest {
  readonly session: SessionId;
  /** The content that the request names; null if it names none and means the content of the session. */
  readonly contentId: string | null;
  /** `LEASE_MODE`. Without leases there are no sessions. */
  readonly leaseMode: 'off' | 'optional' | 'required';
  /** Whether the content's own state lets it be served. @param content null if it is not registered */
  readonly isServed: (content: ContentState | null) => boolean;
}

export type SessionDecision =
  | { readonly kind: 'open'; readonly lease: LeaseState; readonly content: ContentState | null }
  | { readonly kind: 'refuse'; readonly code: ErrorCode }
  | { readonly kind: 'read'; readonly unknown: UnknownState };

/**
 * Whether a session opens its content now, for keys and for playlists. The order is in `docs/reference/contract.md#order-of-decisions`, with
 * the session in the place of a credential: the secret, the named content, the state of that content, the lease.
 *
 * It is a pure function of what is known at this instant. If a state is unknown, the answer names it: the caller reads it and decides again.
 * A lease that does not exist, one that is not a session, and a wrong secret get the same answer.
 *
 * @param now wall clock, milliseconds since 1970
 * @param leaseLoadsAtStart `authority.leases.loadsBegun` when the request came, to read an expired lease once more
 */
export function decideBySession(
  { session, contentId, leaseMode, isServed }: SessionRequest,
  authority: Pick<KnownStates, 'leases' | 'contents'>,
  now: number,
  leaseLoadsAtStart: number,
): SessionDecision {
  if (leaseMode === 'off') return refuse('INVALID_SESSION');
  const { leaseId } = session;
  const known = authority.leases.peek(leaseId);
  if (!known) return read('leases', leaseId);
  const lease = known.value;
  if (!lease || !isSecretOf(session, lease.session?.secretHash ?? null)) return refuse('INVALID_SESSION');
  if (contentId !== null && contentId !== lease.contentId) return refuse('CONTENT_NOT_ENTITLED');
  const content = authority.contents.peek(lease.contentId);
  if (!content) return read('contents', lease.contentId);
  if (!isServed(content.value)) return refuse('CONTENT_NOT_FOUND');
  if (lease.revokedAt !== null) return refuse('LEASE_REVOKED');
  if (lease.expiresAt > now) return { kind: 'open', lease, content: content.value };
  return mayHaveBeenRenewed(known, now, leaseLoadsAtStart)
    ? read('leases', leaseId)
    : refuse('LEASE_EXPIRED');
}

function read(cache: 'leases' | 'contents', key: string): SessionDecision {
  return { kind: 'read', unknown: { cache, key } };
}

function refuse(code: ErrorCode): SessionDecision {
  return { kind: 'refuse', code };
}
