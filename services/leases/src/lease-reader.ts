import type { LeaseReader } from '@latchkey/shared/contracts';
import { isUuid } from '@latchkey/shared/contracts';
import { createTableCheck, throwDatabaseFault } from '@latchkey/shared/db';
import { createLeaseFinder } from './find-lease.ts';
import { toLeaseState } from './lease.ts';
import { MarkStore } from './mark-store.ts';
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
}): LeaseReader {
  const find = createLeaseFinder(db, createTableCheck('revocations'));
  const marks = new MarkStore(db);
  return {
    async findLease(leaseId) {
      if (!isUuid(leaseId)) return null;
      const lease = await find(leaseId).catch(throwDatabaseFault);
      return lease && toLeaseState(lease, { renewGraceSeconds });
    },
    findMark: (viewerId, contentId) => marks.findLatest(viewerId, contentId).catch(throwDatabaseFault),
  };
}
