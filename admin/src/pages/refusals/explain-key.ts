import type { BodyOf } from '../../api/api.ts';
import type { Refusal } from '../../api/resources.ts';
import type { Lease } from '../../api/schema.ts';
import { findCredential, takeToken } from '../../state/find-credential.ts';
import { type Cause, findBlock, findCause, findLease, type Sources, unknownCause } from './find-cause.ts';
import { findRefusal, type KeyQuestion } from './key-question.ts';
import type { KeyDecision } from './step-words.ts';

const path = '/api/v1/key-decisions';
/** A key request as the server is asked about it. */
type KeyRequest = BodyOf<'post', typeof path>;
/** The part of a key request that does not name its caller. */
type Place = Pick<KeyRequest, 'contentId' | 'epoch' | 'leaseId'>;

export interface Explained {
  /** Null if nothing could be decided, because the viewer or the content is not known. */
  decision: KeyDecision | null;
  viewerId: string | null;
  /** Whether the decision is for a token that is issued now and opens everything, because the player's token is not known. */
  isAssumed: boolean;
  /** The refused request that it is about. */
  refusal: Refusal | null;
  cause: Cause;
}

/** Whether an answer needs the ID of a content, because nothing else names one. */
export const needsContent = ({ decision, viewerId }: Explained): boolean =>
  decision === null ? viewerId !== null : decision.outcome === 'unknown' && decision.code === null;

const tokenForm = /^ey[\w-]*\.[\w-]*\.[\w-]*$/;

/**
 * Finds out what a question is about, asks the server for every decision, and finds out who caused a refusal. A credential is sent to
 * the route of decisions alone, in a body.
 *
 * @throws as `Api.call`
 */
export async function explainKey(sources: Sources, asked: KeyQuestion): Promise<Explained> {
  const who = takeToken(asked.viewer).trim();
  const typed = readPlace(asked);
  const found = findCredential(who);
  if (found?.kind === 'session') return explainSession(sources, who, found.id, typed);
  if (found || tokenForm.test(who)) return explainToken(sources, who, typed);
  const refusal = findRefusal(sources.refusals, asked);
  if (refusal) return explainRefusal(sources, refusal);
  const lease = typed.contentId === undefined ? await findLease(sources, who) : null;
  if (lease) return decide(sources, { ...requestOf(lease), ...typed });
  return explainViewer(sources, who, typed);
}

function readPlace({ content, epoch, lease }: KeyQuestion): Place {
  return {
    ...(content.trim() !== '' && { contentId: content.trim() }),
    ...(epoch.trim() !== '' && { epoch: Number(epoch) }),
    ...(lease.trim() !== '' && { leaseId: lease.trim() }),
  };
}

async function explainSession(
  sources: Sources,
  token: string,
  leaseId: string,
  typed: Place,
): Promise<Explained> {
  const contentId = typed.contentId ?? (await findLease(sources, leaseId))?.contentId;
  return contentId === undefined ? explainNothing(null) : decide(sources, { token, ...typed, contentId });
}

/** The server says whose token it is, and so which content it may be about. */
async function explainToken(sources: Sources, token: string, typed: Place): Promise<Explained> {
  if (typed.contentId !== undefined) return decide(sources, { token, ...typed });
  const alone = await decide(sources, { token });
  if (alone.decision?.outcome !== 'unknown' || alone.viewerId === null) return alone;
  const contentId = await findContent(sources, alone.viewerId);
  return contentId === null ? alone : decide(sources, { token, ...typed, contentId });
}

async function explainRefusal(sources: Sources, refusal: Refusal): Promise<Explained> {
  const { viewerId, epoch, leaseId } = refusal;
  const own: Place = { ...(epoch !== null && { epoch }), ...(leaseId !== null && { leaseId }) };
  // A session is known by its lease alone.
  const lease = viewerId === null ? await findLease(sources, leaseId) : null;
  const named = viewerId ?? lease?.viewerId ?? null;
  if (named === null) return explainNothing(null, { refusal });
  // A refused request for a lease names no content.
  const contentId = refusal.contentId ?? lease?.contentId ?? (await findContent(sources, named));
  if (contentId === null) return explainNothing(named, { refusal });
  return decide(sources, { viewerId: named, contentId, ...own, ...claimsOf(refusal) }, refusal);
}

async function explainViewer(sources: Sources, viewerId: string, typed: Place): Promise<Explained> {
  if (typed.contentId !== undefined) return decide(sources, { viewerId, ...typed });
  const lease = await findNewestLease(sources, viewerId);
  const refusal = findLatest(sources, viewerId);
  if (refusal && !(lease && lease.createdAt > refusal.at)) return explainRefusal(sources, refusal);
  if (lease) {
    // A player gets a new lease after one that has expired. One that is revoked is why it stopped.
    const request = lease.state === 'revoked' ? requestOf(lease) : { viewerId, contentId: lease.contentId };
    return decide(sources, { ...request, ...typed });
  }
  const block = await findBlock(sources, viewerId);
  if (!block) return explainNothing(viewerId);
  const { blockedAt: at, reason } = block;
  return explainNothing(viewerId, { cause: { ...unknownCause, at, reason, block } });
}

function explainNothing(viewerId: string | null, known: Partial<Explained> = {}): Explained {
  return { decision: null, viewerId, isAssumed: false, refusal: null, cause: unknownCause, ...known };
}

async function decide(
  sources: Sources,
  body: KeyRequest,
  refusal: Refusal | null = null,
): Promise<Explained> {
  const decision = await sources.api.call('post', path, { body });
  const isAssumed = body.token === undefined && body.issuedAt === undefined;
  const cause = await findCause(sources, decision);
  return { decision, viewerId: decision.viewerId, isAssumed, refusal, cause };
}

/** The claims in the token of a refused request, if the server kept them. */
function claimsOf({ issuedAt, contentIds = null }: Refusal): Pick<KeyRequest, 'issuedAt' | 'contentIds'> {
  return issuedAt === undefined ? {} : { issuedAt, contentIds };
}

const requestOf = ({ viewerId, contentId, id: leaseId }: Lease) => ({ viewerId, contentId, leaseId });

const findLatest = ({ refusals }: Sources, viewerId: string) =>
  refusals.find((one) => one.viewerId === viewerId && one.contentId !== null);

/** The content that a viewer was refused last, or has its newest lease for. Null for neither. */
async function findContent(sources: Sources, viewerId: string): Promise<string | null> {
  const refused = findLatest(sources, viewerId)?.contentId;
  return refused ?? (await findNewestLease(sources, viewerId))?.contentId ?? null;
}

async function findNewestLease({ api }: Sources, viewerId: string): Promise<Lease | null> {
  const { leases } = await api.call('get', '/api/v1/leases', {
    params: { query: { viewerId, limit: 1 }, header: { prefer: 'return=minimal' } },
  });
  return leases[0] ?? null;
}
