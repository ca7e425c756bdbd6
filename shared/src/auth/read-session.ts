import { type Principal, parseSid } from '../contracts/index.ts';
import { AppError } from '../errors/errors.ts';

/** The holder of a session's URL. */
type SessionPrincipal = Extract<Principal, { kind: 'session' }>;

/**
 * Reads the id of a session, which is its only credential (`docs/reference/contract.md#sessions`). Whether the session exists is not checked.
 *
 * @throws AppError INVALID_SESSION where the value cannot be the id of a session: then nothing is read
 */
export function readSession(sid: unknown): SessionPrincipal {
  const session = typeof sid === 'string' ? parseSid(sid) : null;
  if (!session) throw new AppError('INVALID_SESSION');
  return { kind: 'session', id: session.leaseId, session };
}
