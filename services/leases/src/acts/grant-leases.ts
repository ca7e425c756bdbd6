import { findMarkRefusal, type MarkState } from '@latchkey/shared/contracts';
import type { Fate } from '@latchkey/shared/db';
import { AppError } from '@latchkey/shared/errors';
import { type Lease, statusOf } from '../lease.ts';
import { findRenewalRefusal } from '../lease-conditions.ts';
import { lastRenewableExpiry, maxActive, mostActive } from '../lease-rules.ts';
import { insertSessions } from '../session-store.ts';
import { deviceKey } from './act-store.ts';
import { ActiveLeases, shownLeases } from './active-leases.ts';
import type { ActsInWork, Placed } from './acts-in-work.ts';
import type { CreateAct, ReviveAct } from './lease-act.ts';
import { type Pair, pairKey } from './pair-selectors.ts';
import { RenewalPlan } from './renewal-plan.ts';

type Grant = Placed<CreateAct> | Placed<ReviveAct>;

/** The facts that are known before the first decision, read under the locks of all acts. */
interface Known {
  marks: Map<string, MarkState>;
  /** A new lease is created after these times, or an earlier revocation would cover it. */
  bounds: Map<string, number>;
  reusable: Map<string, Lease>;
  expired: Map<string, Lease>;
  seats: ActiveLeases;
}

/** The results of the decisions, written after the last of them. */
interface Plan {
  renewals: RenewalPlan;
  /** Leases by the act that gets them: new ones, and ids of renewed ones. */
  created: Map<Placed<CreateAct>, Lease>;
  renewed: Map<Grant, string>;
  evicted: Map<string, Grant>;
  /** Devices that get a new lease. */
  devices: Set<string>;
}

/**
 * Gives each act a lease: a new one, the active one of the same device, or the expired one that it brings back. That one did not
 * count towards the limit and now does, like a new one; and like a new one it is refused to a token from before a revocation.
 */
export async function grantLeases(work: ActsInWork, grants: readonly Grant[]): Promise<void> {
  if (grants.length === 0) return;
  const known = await read(work, grants);
  const plan: Plan = {
    renewals: new RenewalPlan(work.now),
    created: new Map(),
    renewed: new Map(),
    evicted: new Map(),
    devices: new Set(),
  };
  for (const grant of grants) decide(work, grant, known, plan);
  await write(work, plan);
}

async function read(work: ActsInWork, grants: readonly Grant[]): Promise<Known> {
  const { store, now } = work;
  const acts = grants.map(({ act }) => act);
  const creations = acts.filter((act) => act.kind === 'create');
  const devices = creations.flatMap(({ viewerId, contentId, deviceId }) =>
    deviceId === null ? [] : [{ viewerId, contentId, deviceId }],
  );
  return {
    ...(await store.findTimes(acts)),
    reusable: await store.findReusable(devices, now),
    expired: await store.find(acts.flatMap((act) => (act.kind === 'create' ? [] : [act.leaseId]))),
    seats: await readSeats(work, acts),
  };
}

/** Counts, and reads leases only of those viewers for whom there may be no room. */
async function readSeats(
  { service, store, now }: ActsInWork,
  acts: readonly Pick<Pair, 'viewerId'>[],
): Promise<ActiveLeases> {
  const { rules } = service;
  const asked = Map.groupBy(acts, ({ viewerId }) => viewerId);
  const counts = await store.countActiveOf([...asked.keys()], now, mostActive + 1);
  const wanted = new Map<string, number>();
  for (const [viewerId, { length }] of asked) {
    const tooMany = (counts.get(viewerId) ?? 0) + length - maxActive(rules);
    // Each act may also replace one of the oldest, which then is none that can be evicted.
    if (tooMany > 0) wanted.set(viewerId, rules.limitMode === 'reject' ? shownLeases : tooMany + length);
  }
  return new ActiveLeases(rules, counts, await store.listOldestOf(wanted, now));
}

function decide(work: ActsInWork, grant: Grant, known: Known, plan: Plan): void {
  const { act, place } = grant;
  const fate =
    act.kind === 'create'
      ? decideCreation(work, { act, place }, known, plan)
      : decideRevival(work, { act, place }, known, plan);
  if (fate) work.settle(place, fate);
}

/** Null if the act is planned; its fate otherwise. */
type Decision = Fate<never> | null;

function decideRevival(work: ActsInWork, grant: Placed<ReviveAct>, known: Known, plan: Plan): Decision {
  const { act } = grant;
  const { rules } = work.service;
  const lease = known.expired.get(act.leaseId) ?? null;
  const refusal = findRenewalRefusal(lease, act.acting.principal, rules, work.now);
  if (refusal || !lease) return { refusal: refusal ?? new AppError('LEASE_UNKNOWN') };
  // Brought back by another act of this transaction: what it is then, the next one sees.
  if (plan.renewals.renewals.has(lease.id)) return 'later';
  if ((act.notAfter ?? Number.POSITIVE_INFINITY) <= work.now)
    return { refusal: new AppError('LEASE_EXPIRED') };
  if (statusOf(lease, work.now) === 'expired') {
    const refused = refuseByMarks(work, act, known);
    if (refused) return refused;
    const none = takeSeat(work, grant, known, plan);
    if (none) return none;
    known.seats.add({ ...lease, expiresAt: work.now + act.ttlMs });
  }
  plan.renewals.add(lease.id, act, lastRenewableExpiry(rules, work.now));
  plan.renewed.set(grant, lease.id);
  return null;
}

function decideCreation(work: ActsInWork, grant: Placed<CreateAct>, known: Known, plan: Plan): Decision {
  const { act } = grant;
  const { service, now } = work;
  const refused = refuseByMarks(work, act, known);
  if (refused) return refused;
  const device = act.deviceId === null ? null : deviceKey(act);
  const reusable = device === null ? undefined : known.reusable.get(device);
  if (device !== null && plan.devices.has(device)) return 'later';
  // The secret of a session is not stored, so its URL cannot be given again: the new one takes its place.
  if (reusable && !act.session) {
    if (!plan.renewals.add(reusable.id, act, lastRenewableExpiry(service.rules, now))) return 'later';
    plan.renewed.set(grant, reusable.id);
    return null;
  }
  const none = takeSeat(work, grant, known, plan, reusable);
  if (none) return none;
  if (reusable) plan.evicted.set(reusable.id, grant);
  const lease = toNewLease(work, act, known);
  known.seats.add(lease);
  plan.created.set(grant, lease);
  if (device !== null) plan.devices.add(device);
  return null;
}

function toNewLease({ service, now }: ActsInWork, act: CreateAct, { bounds }: Known): Lease {
  // A revocation covers what was created up to its time: in the same millisecond, or by a clock that is ahead of this one.
  const createdAt = Math.max(now, (bounds.get(pairKey(act)) ?? 0) + 1);
  const { secretHash } = act.session ?? {};
  const endsAt = createdAt + service.rules.sessionMaxSeconds * 1_000;
  return {
    id: service.randomId(),
    viewerId: act.viewerId,
    contentId: act.contentId,
    deviceId: act.deviceId,
    createdAt,
    renewedAt: null,
    expiresAt: now + act.ttlMs,
    revokedAt: null,
    revokedBy: null,
    reason: null,
    ...(secretHash !== undefined && { session: { secretHash, ttlMs: act.ttlMs, endsAt, usedAt: null } }),
  };
}

/** A blocked viewer, and a token from before a revocation, get no new lease and cannot bring an expired one back. */
function refuseByMarks(
  { now }: ActsInWork,
  { acting, ...pair }: Pair & Pick<CreateAct, 'acting'>,
  { marks }: Known,
): Decision {
  const refusal = findMarkRefusal(acting.principal, marks.get(pairKey(pair)) ?? null, now);
  return refusal && { refusal: new AppError(refusal) };
}

/** @param replaced as in `ActiveLeases.makeRoom`. @returns null if the viewer may have one more active lease */
function takeSeat(
  { now }: ActsInWork,
  grant: Grant,
  { seats }: Known,
  plan: Plan,
  replaced?: Lease,
): Decision {
  const room = seats.makeRoom(grant.act, grant.act.acting.principal, now, replaced);
  if (room === 'later' || 'refusal' in room) return room;
  for (const { id } of room.evict) plan.evicted.set(id, grant);
  return null;
}

async function write(work: ActsInWork, plan: Plan): Promise<void> {
  const { store, entry, now, settle } = work;
  const due = new Map([...plan.evicted.keys()].map((id) => [id, { reason: null }]));
  // Without a mark: the newer lease may use the same token.
  const evicted = await store.revoke(due, { at: now, by: 'limit' });
  for (const [id, { act }] of plan.evicted) {
    const lease = evicted.get(id);
    if (lease) work.audit(act.acting, 'lease.evict', lease);
  }
  work.ended.push(...evicted.values());

  const renewed = await store.renew(plan.renewals.renewals);
  for (const [{ act, place }, id] of plan.renewed) {
    const lease = renewed.get(id) ?? null;
    const isCreation = act.kind === 'create';
    if (lease) work.audit(act.acting, isCreation ? 'lease.create' : 'lease.renew', lease);
    // The viewer released it in between, so its device gets a new one.
    if (!lease && isCreation) settle(place, 'alone');
    else settle(place, { result: { lease, created: false } });
  }
  for (const lease of renewed.values()) entry.renewed(lease);

  const created = [...plan.created.values()];
  await store.insert(created);
  await insertSessions(entry.tx, created);
  for (const [{ act, place }, lease] of plan.created) {
    work.audit(act.acting, act.session ? 'session.create' : 'lease.create', lease);
    entry.created(lease);
    settle(place, { result: { lease, created: true } });
  }
}
