import type { LeaseBatchReader, LeaseReader } from '@latchkey/shared/contracts';
import { isUuid } from '@latchkey/shared/contracts';
import { findMarkState, throwDatabaseFault } from '@latchkey/shared/db';
import { ActStore } from './acts/act-store.ts';
import { type Lease, toLeaseState } from './lease.ts';
import { createLeaseFinder } from './lease-store.ts';
import type { Database } from './own-tables.ts';

/**
 * Leases and marks for other services. A lease that a revocation by viewer or content covers is revoked here from
 * the commit of that revocation on.
 */
export function createLeaseReader({
  db,
  renewGraceSeconds,
}: {
  db: Database;
  renewGraceSeconds: number;
}): LeaseReader & LeaseBatchReader {
  const find = createLeaseFinder(db);
  const acts = new ActStore(db);
  const toState = (lease: Lease | null | undefined) =>
    lease ? toLeaseState(lease, { renewGraceSeconds }) : null;
  return {
    async findLease(leaseId) {
      if (!isUuid(leaseId)) return null;
      return toState(await find(leaseId).catch(throwDatabaseFault));
    },
    findMark: (viewerId, contentId) => findMarkState(db, viewerId, contentId).catch(throwDatabaseFault),
    async findLeases(leaseIds) {
      const found = await acts.find(leaseIds.filter(isUuid)).catch(throwDatabaseFault);
      return leaseIds.map((id) => toState(found.get(id)));
    },
    findMarks: (pairs) => acts.listMarks(pairs).catch(throwDatabaseFault),
  };
}
