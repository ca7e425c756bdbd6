import { createTableCheck, type TableCheck } from '@latchkey/shared/db';
import type { Database, Transaction } from './own-tables.ts';

/** Whether the schema has what pending migrations would add to leases. */
export interface LeaseTableChecks {
  /** Migration 0004. */
  revocations: TableCheck;
  /** Migration 0007. */
  sessions: TableCheck;
}

/** The tables that are there now. */
export interface LeaseTables {
  revocations: boolean;
  sessions: boolean;
}

export function createLeaseTableChecks(): LeaseTableChecks {
  return { revocations: createTableCheck('revocations'), sessions: createTableCheck('sessions') };
}

/** Usually both, which no statement has to find out again. */
export async function findLeaseTables(
  db: Database | Transaction,
  checks: LeaseTableChecks,
): Promise<LeaseTables> {
  return { revocations: await checks.revocations.isThere(db), sessions: await checks.sessions.isThere(db) };
}
