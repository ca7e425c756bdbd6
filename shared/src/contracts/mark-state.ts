import { type Static, Type } from '../schema/type.ts';
import type { Principal } from './principal.ts';
import { viewerIdOf } from './principal.ts';
import { nullable } from './record.ts';

/** The state of a viewer that is blocked. All times are milliseconds since 1970. */
const BlockedStateSchema = Type.Object({
  markedAt: nullable(Type.Integer({ description: 'The time of the latest mark; null without one.' })),
  blockedUntil: nullable(Type.Integer({ description: 'Null: until the block is lifted.' })),
});

/**
 * The reason to refuse a viewer for a content, whatever the lease: the time of the latest mark, or an object if the viewer is blocked. A process
 * that does not know blocks cannot read the object, so it answers 503 and serves no key. It reads all other states as before.
 */
export const MarkStateSchema = Type.Union([Type.Integer(), BlockedStateSchema]);
export type MarkState = Static<typeof MarkStateSchema>;

/** @returns milliseconds since 1970; null without a mark */
export function markedAtOf(state: MarkState | null): number | null {
  return typeof state === 'object' ? (state?.markedAt ?? null) : state;
}

/**
 * Whether the viewer is blocked at `now`.
 *
 * @param now wall clock, milliseconds since 1970, as expiries are compared with
 */
export function isBlocked(state: MarkState | null, now: number): state is Static<typeof BlockedStateSchema> {
  return (
    state !== null && typeof state === 'object' && (state.blockedUntil === null || now < state.blockedUntil)
  );
}

/**
 * Why a viewer gets no key without a lease, no lease and no session (`docs/reference/contract.md#marks`, `docs/reference/contract.md#blocks`).
 *
 * A block holds for every caller, also for an API key that asks for the viewer. A mark holds unless the token is known to be newer. The
 * clock of the application that issues tokens may be ahead of ours. The tolerance therefore counts against the token: one that may have
 * been issued before the revocation is refused. No mark holds against an API key, because it is not a token that a viewer holds.
 *
 * @param state of the viewer and the content; null if neither is marked or blocked
 * @param now wall clock, milliseconds since 1970
 * @returns null if nothing holds
 */
export function findMarkRefusal(
  principal: Principal,
  state: MarkState | null,
  now: number,
): 'VIEWER_BLOCKED' | 'TOKEN_REVOKED' | null {
  if (isBlocked(state, now)) return 'VIEWER_BLOCKED';
  const markedAt = markedAtOf(state);
  if (markedAt === null || viewerIdOf(principal) === null) return null;
  const issuedNotBefore = principal.kind === 'viewer' ? principal.issuedNotBefore : null;
  return issuedNotBefore === null || issuedNotBefore <= markedAt ? 'TOKEN_REVOKED' : null;
}
