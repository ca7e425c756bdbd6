import { type Principal, parseSid } from '../contracts/index.ts';
import { AppError } from '../errors/errors.ts';

/** The holder of a session's URL. */
type SessionPrincipal = Extract<Principal, { kind: 'session' }>;

/**
 * Reads the id of a session, which is its only credential (`docs/contract.md#sessions`). Whether the session exists is not checked.
 *
 * @throws AppError INVALID_SESSION where the value cannot be the id of a session: then nothing is read
 */
export function readSession(sid: unknown): SessionPrincipal {
  const session = typeof sid === 'string' ? parseSid(sid) : null;
  if (!session) throw new AppError('INVALID_SESSION');
  return { kind: 'session', id: session.leaseId, session };
}

/** The target of a key request as a session's playlist has it: the path, and no query but the id. */
const sessionTarget = /^([^?]+)\?s=([\w-]{43})$/;

/** @returns the path and the id, which may still be malformed; null for every other target */
export function splitSessionTarget(target: string): { path: string; sid: string } | null {
  const [, path = '', sid = ''] = sessionTarget.exec(target) ?? [];
  return sid === '' ? null : { path, sid };
}
