import type { GroupWriter } from '@latchkey/shared/db';
import type { Once } from '@latchkey/shared/idempotency';
import type { Lease } from '../lease.ts';
import type { Acting } from '../lease-acting.ts';

/** Creates a lease, or renews the active one of the same viewer, content and device. */
export interface CreateAct {
  kind: 'create';
  viewerId: string;
  contentId: string;
  deviceId: string | null;
  ttlMs: number;
  /** Missing for the lease of a player. It ends the session of the same device, which has another secret. */
  session?: { secretHash: string } | undefined;
  /** For a request with an `Idempotency-Key`: the answer that is kept with the act. */
  once?: Once<ActResult> | undefined;
  acting: Acting;
}

interface RenewedLease {
  leaseId: string;
  viewerId: string;
  contentId: string;
  ttlMs: number;
  /** The end of a session: nothing renews it beyond. Milliseconds since 1970. */
  notAfter?: number | undefined;
  acting: Acting;
}

/** Renews a lease that is active. */
export interface ExtendAct extends RenewedLease {
  kind: 'extend';
}

/** Renews a lease that is active or has expired within its grace. */
export interface ReviveAct extends RenewedLease {
  kind: 'revive';
}

/** A viewer ends its own lease. */
export interface ReleaseAct {
  kind: 'release';
  leaseId: string;
  viewerId: string;
  reason: string | null;
}

/** An act on one lease. Several are written in one transaction. */
export type LeaseAct = CreateAct | ExtendAct | ReviveAct | ReleaseAct;

export interface ActResult {
  /** The lease as the act left it. Null if there was nothing to renew or to release: its state had changed before. */
  lease: Lease | null;
  /** Whether the lease is new. */
  created: boolean;
}

export type ActWriter = GroupWriter<LeaseAct, ActResult>;
