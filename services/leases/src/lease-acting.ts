import type { Principal } from '@latchkey/shared/contracts';
import { type AuditFacts, auditFacts } from '@latchkey/shared/http';
import type { FastifyRequest } from 'fastify';
import type { AuditEntry, LedgerEntry } from './own-tables.ts';

/** Who acts on leases, and the facts of the request for the audit. */
export interface Acting {
  principal: Principal;
  facts: AuditFacts;
}

export type LeaseAction =
  | 'lease.create'
  | 'lease.renew'
  | 'lease.revoke'
  | 'lease.evict'
  | 'mark.lift'
  | 'session.create';

/**
 * Writes the audit row of an act that is done.
 *
 * @returns its number
 */
export function auditAct(
  entry: LedgerEntry,
  { facts }: Acting,
  action: LeaseAction,
  target: string,
  reason: string | null = null,
): Promise<number> {
  return entry.audit({ ...facts, action, target, outcome: 'done', code: null, ...toDetails(reason) });
}

function toDetails(reason: string | null): Pick<AuditEntry, 'details'> {
  return reason === null ? {} : { details: { reason } };
}

/** The audit row of an act, for API keys alone: viewers do these acts all the time, and their rows would fill the audit. */
export function managementAudit(
  { principal, facts }: Acting,
  action: LeaseAction,
  target: string,
  reason: string | null = null,
): AuditEntry[] {
  if (principal.kind !== 'api-key') return [];
  return [{ ...facts, action, target, outcome: 'done', code: null, ...toDetails(reason) }];
}

/** Writes `managementAudit`. */
export async function auditManagement(
  entry: LedgerEntry,
  acting: Acting,
  action: LeaseAction,
  target: string,
  reason: string | null,
): Promise<void> {
  await entry.audits(managementAudit(acting, action, target, reason));
}

/** The caller of a request that the guard has admitted. */
export function actingIn(request: FastifyRequest): Acting {
  if (!request.principal) throw new Error('the route is not behind the guard');
  return { principal: request.principal, facts: auditFacts(request) };
}
