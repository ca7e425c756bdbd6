import { describeTarget } from '../../api/audit-target.ts';
import type { AuditRecord, Lease, Mark, ViewerBlock } from '../../api/schema.ts';
import { findBlock, findLease, type Sources, uuid } from './answer-sources.ts';
import { factOf, type KeyDecision } from './step-words.ts';

/** Who caused a refusal, when and why. What is not known is null. */
export interface Cause {
  /** ISO 8601. */
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
  if (viewerId === null) return unknownCause;
  if (code === 'VIEWER_BLOCKED') {
    const block = await findBlock(sources, viewerId);
    return block ? ofBlock(sources, block) : unknownCause;
  }
  if (code === 'TOKEN_REVOKED')
    return ofRevocation(sources, { viewerId, contentId }, factOf(decision, 'marks', 'markedAt'), null);
  if (code !== 'LEASE_REVOKED') return unknownCause;
  const leaseId = factOf(decision, 'lease', 'leaseId') ?? factOf(decision, 'credential', 'leaseId');
  const lease = await findLease(sources, leaseId);
  const at = lease?.revokedAt ?? factOf(decision, 'lease', 'revokedAt');
  if (lease?.revokedBy !== 'management') return { ...unknownCause, at, reason: lease?.reason ?? null, lease };
  return ofRevocation(sources, { viewerId, contentId }, at, lease);
}

async function findDisabling({ api, seesAll }: Sources, decision: KeyDecision): Promise<Cause> {
  if (!seesAll || factOf(decision, 'content', 'status') !== 'disabled') return unknownCause;
  const query = { target: decision.contentId, action: 'content.disable', outcome: 'done', limit: 1 } as const;
  const { audit } = await api.call('get', '/api/v1/audit', { params: { query } });
  const [record = null] = audit;
  return { ...unknownCause, at: record?.at ?? null, record };
}

async function ofBlock(sources: Sources, block: ViewerBlock): Promise<Cause> {
  const { viewerId, blockedAt: at, reason } = block;
  const targets = [describeTarget({ viewerId, contentId: null })];
  const record = (await readRevocations(sources, at)).find(({ target }) => targets.includes(target ?? ''));
  return { ...unknownCause, at, reason, record: record ?? null, block };
}

/** The viewer and the content of which a revocation ended leases. */
interface Ended {
  viewerId: string;
  contentId: string;
}

/**
 * @param at of the revocation, ISO 8601
 * @param lease the one that it revoked; null if a mark is all that is known
 */
async function ofRevocation(
  sources: Sources,
  ended: Ended,
  at: string | null,
  lease: Lease | null,
): Promise<Cause> {
  const block = await findBlock(sources, ended.viewerId);
  if (block) return { ...(await ofBlock(sources, block)), lease };
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

/** Leases that are looked up: hundreds may be revoked one by one in a second. */
const mostLeases = 3;

async function findRevocation(
  sources: Sources,
  { viewerId, contentId }: Ended,
  at: string,
  lease: Lease | null,
): Promise<AuditRecord | null> {
  const acts = await readRevocations(sources, at);
  const targets = [
    ...(lease ? [lease.id] : []),
    describeTarget({ viewerId, contentId }),
    describeTarget({ viewerId, contentId: null }),
    describeTarget({ viewerId: null, contentId }),
  ];
  const found = acts.find(({ target }) => targets.includes(target ?? ''));
  if (found || lease) return found ?? null;
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
