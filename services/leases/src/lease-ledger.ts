import type { LeaseState } from '@latchkey/shared/contracts';
import type { Notice } from '@latchkey/shared/events';
import type { LeasePublisher, PublishedLease } from '@latchkey/shared/replicas';
import type { Lease } from './lease.ts';
import { toLeaseState } from './lease.ts';
import { toLeaseView } from './lease-schema.ts';
import type { Ledger, LedgerEntry } from './own-tables.ts';

/** An act on leases while it is being written. Each verb hands over a lease as the act leaves it. */
export interface LeaseEntry extends LedgerEntry {
  created(lease: Lease): void;
  renewed(lease: Lease): void;
  /** @param changeNumber of the change that names this lease alone */
  revoked(lease: Lease, changeNumber: number): void;
}

/** Writes acts on leases. */
export interface LeaseLedger {
  /** As `Ledger.write`. After the commit it sends each lease to the event stream, and its state to other replicas. */
  write<T>(work: (entry: LeaseEntry) => Promise<T>): Promise<T>;
}

/** @param publisher null if no replica shares states with this process */
export function createLeaseLedger(
  ledger: Ledger,
  publisher: LeasePublisher | null,
  rules: { renewGraceSeconds: number },
): LeaseLedger {
  return {
    async write(work) {
      const publish = publisher?.begin();
      let published: PublishedLease[] = [];
      const result = await ledger.write((entry) => {
        // An earlier attempt of this transaction may have failed.
        published = [];
        return work(withLeaseVerbs(entry, published, (lease) => toLeaseState(lease, rules)));
      });
      if (publish) for (const lease of published) publish(lease);
      return result;
    },
  };
}

function withLeaseVerbs(
  entry: LedgerEntry,
  published: PublishedLease[],
  stateOf: (lease: Lease) => LeaseState,
): LeaseEntry {
  const at = entry.now;
  const hand = (event: string, lease: Lease, changeNumber: number | null): Notice => {
    published.push({ id: lease.id, state: stateOf(lease), at, changeNumber });
    return { topic: 'lease', event, data: toLeaseView(lease, at) };
  };
  return {
    ...entry,
    created: (lease) => entry.notice(hand('created', lease, null)),
    renewed: (lease) => entry.renewal(lease.id, hand('renewed', lease, null)),
    revoked: (lease, changeNumber) => entry.notice(hand('revoked', lease, changeNumber)),
  };
}
