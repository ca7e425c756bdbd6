import {
  type AuditDetails,
  describeSelector,
  type LeaseNames,
  type Principal,
} from '@latchkey/shared/contracts';
import { type AuditFacts, auditFacts } from '@latchkey/shared/http';
import type { FastifyRequest } from 'fastify';
import type { AuditEntry, LedgerEntry } from './own-tables.ts';

/** Who acts on leases, and the facts of the request for the audit. */
export interface Acting {
  principal: Principal;
  facts: AuditFacts;
}

export type LeaseAction = 'lease.create' | 'lease.renew' | 'lease.evict' | 'session.create';

/**
 * Writes the audit row of an act that takes rights from viewers, or gives them back.
 *
 * @returns its number
 */
export function auditRevocation(
  entry: LedgerEntry,
  { facts }: Acting,
  action: 'lease.revoke' | 'mark.lift' | 'viewer.block' | 'viewer.unblock',
  names: LeaseNames,
  details: AuditDetails | null = null,
): Promise<number> {
  return entry.audit({
    ...facts,
    action,
    target: names.leaseId ?? describeSelector(names),
    outcome: 'done',
    code: null,
    names,
    ...(details && { details }),
  });
}

/** Why an act was done, for its audit row. */
export const becauseOf = (reason: string | null): AuditDetails | null =>
  reason === null ? null : { reason };

/** The audit row of an act, for API keys alone: viewers do these acts all the time, and their rows would fill the audit. */
export function managementAudit(
  { principal, facts }: Acting,
  action: LeaseAction,
  target: string,
): AuditEntry[] {
  return principal.kind === 'api-key' ? [{ ...facts, action, target, outcome: 'done', code: null }] : [];
}

/** The caller of a request that the guard has admitted. */
export function actingIn(request: FastifyRequest): Acting {
  if (!request.principal) throw new Error('the route is not behind the guard');
  return { principal: request.principal, facts: auditFacts(request) };
}
