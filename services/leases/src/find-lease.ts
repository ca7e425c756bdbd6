import { keepQuery } from '@latchkey/shared/db';
import type { Lease } from './lease.ts';
import { toLease } from './lease-row.ts';
import { LeaseStore } from './lease-store.ts';
import type { Database } from './own-tables.ts';

/** `LeaseStore.find` for requests that come all the time. @param leaseId a UUID */
export type LeaseFinder = (leaseId: string) => Promise<Lease | null>;

export function createLeaseFinder(db: Database): LeaseFinder {
  const store = new LeaseStore(db);
  const find = keepQuery(db, (id) => store.selectById(id));
  return async (leaseId) => {
    const [row] = await find(leaseId);
    return row ? toLease(row) : null;
  };
}
