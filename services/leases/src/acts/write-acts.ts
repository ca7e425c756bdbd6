import { createGroupWriter, type Fate, isPostgres } from '@latchkey/shared/db';
import { AppError } from '@latchkey/shared/errors';
import { claimIds, keepAnswers, keyInUse } from '@latchkey/shared/idempotency';
import { managementAudit } from '../lease-acting.ts';
import type { LeaseEntry } from '../lease-ledger.ts';
import type { LeaseWriting } from '../lease-route-options.ts';
import type { AuditEntry, Transaction } from '../own-tables.ts';
import { lockAct, lockRows, tryLockActs } from './act-locks.ts';
import { ActStore } from './act-store.ts';
import type { ActsInWork, Placed } from './acts-in-work.ts';
import { grantLeases } from './grant-leases.ts';
import type { ActResult, ActWriter, ExtendAct, LeaseAct, ReleaseAct } from './lease-act.ts';
import { RenewalPlan } from './renewal-plan.ts';

/** Another try is only needed if a viewer releases the lease of its device at the same instant. */
const tries = 3;

/** Writes acts on leases. The acts of simultaneous requests share one transaction. */
export function createActWriter(service: LeaseWriting): ActWriter {
  return createGroupWriter<LeaseAct, ActResult>({
    writeTogether: (acts) => service.ledger.write((entry) => writeActs(service, entry, acts, 'try')),
    // Acts of one viewer lock each other out. Different viewers of a content share its lock.
    ...(isPostgres(service.db) ? { subjectOf: (act: LeaseAct) => act.viewerId } : {}),
    async writeAlone(act) {
      for (let n = 0; n < tries; n++) {
        const [fate] = await service.ledger.write((entry) => writeActs(service, entry, [act], 'wait'));
        if (fate === undefined || typeof fate === 'string') continue;
        if ('refusal' in fate) throw fate.refusal;
        return fate.result;
      }
      throw new AppError('DEPENDENCY_UNAVAILABLE');
    },
  });
}

/**
 * Writes acts in the transaction of the entry, with a number of statements that does not depend on the number of acts. Releases come
 * first, because they make room, then renewals, then what needs room.
 *
 * @param locking `try`: an act whose locks another transaction holds is not written, and its fate is `alone`
 * @returns the fate of each act, in their order
 */
async function writeActs(
  service: LeaseWriting,
  entry: LeaseEntry,
  acts: readonly LeaseAct[],
  locking: 'try' | 'wait',
): Promise<Fate<ActResult>[]> {
  const { tx } = entry;
  const fates: Fate<ActResult>[] = acts.map(() => 'alone');
  // Before a lock that may be waited for, so that a repeat elsewhere is refused at once.
  const taken = await claimKeys(tx, acts, service.clock.now());
  for (const place of taken) fates[place] = { refusal: keyInUse() };
  const locked = locking === 'try' ? await tryLockActs(tx, acts) : [];
  if (locking === 'wait') for (const act of acts) await lockAct(tx, act);
  const open = acts.flatMap((act, place) =>
    !taken.has(place) && (locking === 'wait' || locked[place]) ? [{ act, place }] : [],
  );
  const audits: AuditEntry[] = [];
  const work: ActsInWork = {
    service,
    entry,
    store: new ActStore(tx),
    now: service.clock.now(),
    settle: (place, fate) => {
      fates[place] = fate;
    },
    ended: [],
    audit(acting, action, { id }) {
      audits.push(...managementAudit(acting, action, id));
    },
  };
  await lockRows(
    tx,
    open.flatMap(({ act }) => (act.kind === 'create' ? [] : [act.leaseId])),
  );
  await releaseLeases(work, ofKind(open, 'release'));
  await extendLeases(work, ofKind(open, 'extend'));
  const grants = [...ofKind(open, 'create'), ...ofKind(open, 'revive')];
  // In the order in which they came: a later one must not put an earlier one off again and again.
  await grantLeases(
    work,
    grants.sort((a, b) => a.place - b.place),
  );
  await keepActAnswers(tx, acts, fates, work.now);
  await entry.audits(audits);
  const numbers = await entry.changes(
    work.ended.map(({ id }) => ({ kind: 'leases', leaseId: id, viewerId: null, contentId: null })),
  );
  for (const [n, lease] of work.ended.entries()) entry.revoked(lease, Number(numbers[n]));
  return fates;
}

function ofKind<K extends LeaseAct['kind']>(open: readonly Placed<LeaseAct>[], kind: K) {
  type Act = Extract<LeaseAct, { kind: K }>;
  return open.filter((placed): placed is Placed<Act> => placed.act.kind === kind);
}

/** A viewer releases its own leases. That leaves no mark, because the same token may get another lease. */
async function releaseLeases(work: ActsInWork, releases: readonly Placed<ReleaseAct>[]): Promise<void> {
  const { store, now, settle } = work;
  const found = await store.find(releases.map(({ act }) => act.leaseId));
  const due = new Map<string, { reason: string | null; place: number }>();
  for (const { act, place } of releases) {
    if (found.get(act.leaseId)?.viewerId !== act.viewerId)
      settle(place, { refusal: new AppError('LEASE_NOT_FOUND') });
    else if (due.has(act.leaseId)) settle(place, { result: { lease: null, created: false } });
    else due.set(act.leaseId, { reason: act.reason, place });
  }
  const released = await store.revoke(due, { at: now, by: 'viewer' });
  for (const [id, { place }] of due)
    settle(place, { result: { lease: released.get(id) ?? null, created: false } });
  work.ended.push(...released.values());
}

async function extendLeases(work: ActsInWork, extensions: readonly Placed<ExtendAct>[]): Promise<void> {
  const { store, entry, now } = work;
  const plan = new RenewalPlan(now);
  const planned = extensions.filter(({ act, place }) => {
    const isPlanned = plan.add(act.leaseId, act, now);
    if (!isPlanned) work.settle(place, 'later');
    return isPlanned;
  });
  const renewed = await store.renew(plan.renewals);
  for (const { act, place } of planned) {
    const lease = renewed.get(act.leaseId) ?? null;
    if (lease) work.audit(act.acting, 'lease.renew', lease);
    work.settle(place, { result: { lease, created: false } });
  }
  for (const lease of renewed.values()) entry.renewed(lease);
}

const keyTable = 'lease_idempotency_keys';

function keyedActs(acts: readonly LeaseAct[]) {
  return acts.flatMap((act, place) => (act.kind === 'create' && act.once ? [{ place, once: act.once }] : []));
}

/** Claims the keys of acts whose request has an `Idempotency-Key`. @returns the places of acts whose key another request has or had */
async function claimKeys(tx: Transaction, acts: readonly LeaseAct[], now: number): Promise<Set<number>> {
  const keyed = keyedActs(acts);
  const free = await claimIds(
    tx,
    keyTable,
    keyed.map(({ once }) => once.id),
    now,
  );
  return new Set(keyed.flatMap(({ place }, n) => (free[n] ? [] : [place])));
}

/** Keeps the answers of keyed acts that were written. */
async function keepActAnswers(
  tx: Transaction,
  acts: readonly LeaseAct[],
  fates: readonly Fate<ActResult>[],
  now: number,
): Promise<void> {
  const answers = keyedActs(acts).flatMap(({ place, once: { id, bodyHash, answerOf } }) => {
    const fate = fates[place];
    return typeof fate === 'object' && 'result' in fate ? [{ id, bodyHash, ...answerOf(fate.result) }] : [];
  });
  await keepAnswers(tx, keyTable, answers, now);
}
