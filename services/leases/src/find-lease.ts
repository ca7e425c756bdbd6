import { keepQuery } from '@latchkey/shared/db';
import type { Lease } from './lease.ts';
import { toLease } from './lease-row.ts';
import { LeaseStore } from './lease-store.ts';
import { findLeaseTables, type LeaseTableChecks } from './lease-tables.ts';
import type { Database } from './own-tables.ts';

/** `LeaseStore.find` for requests that come all the time. @param leaseId a UUID */
export type LeaseFinder = (leaseId: string) => Promise<Lease | null>;

export function createLeaseFinder(db: Database, checks: LeaseTableChecks): LeaseFinder {
  const keep = (hasRevocations: boolean, hasSessions: boolean) => {
    const store = new LeaseStore(db, hasRevocations, hasSessions);
    return keepQuery(db, (id) => store.selectById(id));
  };
  const [withAll, withRevocations, without] = [keep(true, true), keep(true, false), keep(false, false)];
  return async (leaseId) => {
    const { revocations, sessions } = await findLeaseTables(db, checks);
    const find = revocations ? (sessions ? withAll : withRevocations) : without;
    const [row] = await find(leaseId);
    return row ? toLease(row) : null;
  };
}
