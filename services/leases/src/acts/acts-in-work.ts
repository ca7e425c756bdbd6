import type { Fate } from '@latchkey/shared/db';
import type { Lease } from '../lease.ts';
import type { Acting, LeaseAction } from '../lease-acting.ts';
import type { LeaseEntry } from '../lease-ledger.ts';
import type { LeaseWriting } from '../lease-route-options.ts';
import type { ActStore } from './act-store.ts';
import type { ActResult, LeaseAct } from './lease-act.ts';

/** An act, and its place among the acts that are written together. */
export interface Placed<Act extends LeaseAct> {
  act: Act;
  place: number;
}

/** Acts while they are being written. */
export interface ActsInWork {
  service: LeaseWriting;
  entry: LeaseEntry;
  store: ActStore;
  /** Read after the locks were taken, so that it is not earlier than a revocation that held one of them. */
  now: number;
  settle(place: number, fate: Fate<ActResult>): void;
  /** Leases that the acts ended. Their changes are written last, because the counter of the feed stays locked from then on. */
  ended: Lease[];
  /** As `managementAudit`. @param lease the act's */
  audit(acting: Acting, action: LeaseAction, lease: Lease): void;
}
