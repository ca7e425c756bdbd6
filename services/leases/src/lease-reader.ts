import type { LeaseReader } from '@latchkey/shared/contracts';
import { isUuid } from '@latchkey/shared/contracts';
import { createTableCheck, throwDatabaseFault } from '@latchkey/shared/db';
import { toLeaseState } from './lease.ts';
import { openLeaseStore } from './lease-store.ts';
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
  const revocations = createTableCheck('revocations');
  const marks = new MarkStore(db);
  return {
    async findLease(leaseId) {
      if (!isUuid(leaseId)) return null;
      const lease = await openLeaseStore(db, revocations)
        .then((leases) => leases.find(leaseId))
        .catch(throwDatabaseFault);
      return lease && toLeaseState(lease, { renewGraceSeconds });
    },
    findMark: (viewerId, contentId) => marks.findLatest(viewerId, contentId).catch(throwDatabaseFault),
  };
}
