import type { Api } from '../../api/api.ts';
import { ApiError } from '../../api/api-error.ts';
import { describeTarget } from '../../api/audit-target.ts';
import type { Refusal } from '../../api/resources.ts';
import type { AuditRecord, Lease, Mark, ViewerBlock } from '../../api/schema.ts';
import { factOf, type KeyDecision } from './step-words.ts';

/** Where an answer is looked up. */
export interface Sources {
  api: Api;
  /** The latest refusals of every process, newest first. */
  refusals: readonly Refusal[];
  /** Whether the signed-in key may read the audit and blocks. */
  seesAll: boolean;
}

/** Who caused a refusal, when and why. What is not known is null. */
export interface Cause {
  /** ISO 8601. Of a lease its end, and of an epoch its beginning. */
  at: string | null;
  reason: string | null;
  /** The act in the audit. */
  record: AuditRecord | null;
  lease: Lease | null;
  /** The mark that refuses the token. */
  mark: Mark | null;
  block: ViewerBlock | null;
}

export const unknownCause: Cause = {
  ...{ at: null, reason: null, record: null, lease: null, mark: null, block: null },
};

/** @throws as `Api.call` */
export async function findCause(sources: Sources, decision: KeyDecision): Promise<Cause> {
  const { code, viewerId, contentId } = decision;
  if (code === 'CONTENT_NOT_FOUND') return findDisabling(sources, decision);
  if (code === 'EPOCH_NOT_YET') return { ...unknownCause, at: factOf(decision, 'key-periods', 'opensAt') };
  if (code === 'LEASE_EXPIRED') return { ...unknownCause, at: factOf(decision, 'lease', 'expiresAt') };
  if (viewerId === null) return unknownCause;
  const ended = { viewerId, contentId };
  if (code === 'VIEWER_BLOCKED') return ofRevocation(sources, ended, null, null);
  if (code === 'TOKEN_REVOKED')
    return ofRevocation(sources, ended, factOf(decision, 'marks', 'markedAt'), null);
  if (code !== 'LEASE_REVOKED') return unknownCause;
  const leaseId = factOf(decision, 'lease', 'leaseId') ?? factOf(decision, 'credential', 'leaseId');
  const lease = await findLease(sources, leaseId);
  const at = lease?.revokedAt ?? factOf(decision, 'lease', 'revokedAt');
  if (lease?.revokedBy !== 'management') return { ...unknownCause, at, reason: lease?.reason ?? null, lease };
  return ofRevocation(sources, ended, at, lease);
}

async function findDisabling({ api, seesAll }: Sources, decision: KeyDecision): Promise<Cause> {
  if (!seesAll || factOf(decision, 'content', 'status') !== 'disabled') return unknownCause;
  const query = { target: decision.contentId, action: 'content.disable', outcome: 'done', limit: 1 } as const;
  const { audit } = await api.call('get', '/api/v1/audit', { params: { query } });
  const [record = null] = audit;
  return { ...unknownCause, at: record?.at ?? null, record };
}

/** The viewer and the content of which a revocation ended leases. */
type Ended = Pick<Lease, 'viewerId' | 'contentId'>;

/**
 * A block is the cause in place of an earlier revocation.
 *
 * @param at of the revocation, ISO 8601; null if only a block can be the cause
 * @param lease the one that it revoked; null if a mark is all that is known
 */
async function ofRevocation(
  sources: Sources,
  ended: Ended,
  at: string | null,
  lease: Lease | null,
): Promise<Cause> {
  const block = await findBlock(sources, ended.viewerId);
  if (block) {
    const { viewerId, blockedAt, reason } = block;
    const acts = await readRevocations(sources, blockedAt);
    const record = findAct(acts, [describeTarget({ viewerId, contentId: null })]);
    return { at: blockedAt, reason, record, lease, mark: null, block };
  }
  if (at === null) return unknownCause;
  const [record, mark] = await Promise.all([
    findRevocation(sources, ended, at, lease),
    findMark(sources, ended, at),
  ]);
  return { at, reason: lease?.reason ?? record?.details?.reason ?? null, record, lease, mark, block };
}

/** An audit row has the time at which its transaction wrote it. */
const aroundMs = 2_000;
const revoking: readonly string[] = ['lease.revoke', 'viewer.block'];

/** The audit records of revocations and blocks around a time. */
async function readRevocations({ api, seesAll }: Sources, at: string): Promise<AuditRecord[]> {
  if (!seesAll) return [];
  const [from, to] = [-aroundMs, aroundMs].map((ms) => new Date(Date.parse(at) + ms).toISOString());
  const query = { from, to, outcome: 'done', limit: 500 } as const;
  const { audit } = await api.call('get', '/api/v1/audit', { params: { query } });
  return audit.filter(({ action }) => revoking.includes(action));
}

const findAct = (acts: readonly AuditRecord[], targets: readonly string[]) =>
  acts.find(({ target }) => target !== null && targets.includes(target)) ?? null;

/** Leases that are looked up: hundreds may be revoked one by one in a second. */
const mostLeases = 3;

async function findRevocation(
  sources: Sources,
  { viewerId, contentId }: Ended,
  at: string,
  lease: Lease | null,
): Promise<AuditRecord | null> {
  const acts = await readRevocations(sources, at);
  const found = findAct(acts, [
    ...(lease ? [lease.id] : []),
    describeTarget({ viewerId, contentId }),
    describeTarget({ viewerId, contentId: null }),
    describeTarget({ viewerId: null, contentId }),
  ]);
  if (found || lease) return found;
  // The revocation of one lease marks its viewer and content, and its target is the lease.
  for (const act of acts.filter(({ target }) => uuid.test(target ?? '')).slice(0, mostLeases)) {
    const revoked = await findLease(sources, act.target);
    if (revoked?.viewerId === viewerId && revoked.contentId === contentId) return act;
  }
  return null;
}

/** More marks of a viewer or a content are newer only after a flood of revocations. */
const marksRead = 100;

async function findMark({ api }: Sources, { viewerId, contentId }: Ended, at: string): Promise<Mark | null> {
  const lists = await Promise.all(
    [{ viewerId }, { contentId }].map((of) =>
      api.call('get', '/api/v1/marks', { params: { query: { ...of, limit: marksRead } } }),
    ),
  );
  const isOf = (own: string | null, named: string) => own === null || own === named;
  const holds = (mark: Mark) =>
    mark.markedAt === at && isOf(mark.viewerId, viewerId) && isOf(mark.contentId, contentId);
  return lists.flatMap(({ marks }) => marks).find(holds) ?? null;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** @returns null for a lease that is not stored, or not visible to the signed-in key */
export async function findLease({ api }: Pick<Sources, 'api'>, id: string | null): Promise<Lease | null> {
  if (id === null || !uuid.test(id)) return null;
  try {
    return (await api.call('get', '/api/v1/leases/{id}', { params: { path: { id } } })).lease;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

/** @returns null for a viewer that is not blocked, or if the signed-in key may not know */
export async function findBlock({ api, seesAll }: Sources, viewerId: string): Promise<ViewerBlock | null> {
  if (!seesAll) return null;
  const params = { path: { viewerId } };
  return (await api.call('get', '/api/v1/viewers/{viewerId}/block', { params })).block;
}
