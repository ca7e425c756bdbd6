import { assertContentExists, assertNotLimited, assertScope } from '@latchkey/shared/auth';
import {
  ContentIdSchema,
  isEntitled,
  isUuid,
  type LoggedRevocation,
  viewerIdOf,
} from '@latchkey/shared/contracts';
import { AppError, problems } from '@latchkey/shared/errors';
import {
  type App,
  appliedMembers,
  validationFailure,
  WaitQuerySchema,
  waitIfAsked,
} from '@latchkey/shared/http';
import { redact } from '@latchkey/shared/log';
import { Type } from '@latchkey/shared/schema';
import { ActStore } from '../acts/act-store.ts';
import type { Lease } from '../lease.ts';
import { type Acting, actingIn, auditRevocation, becauseOf } from '../lease-acting.ts';
import { lockForRevocation } from '../lease-locks.ts';
import type { LeaseService } from '../lease-route-options.ts';
import {
  LeaseIdSchema,
  LeaseSchema,
  playerRefusals,
  ReasonSchema,
  readViewerId,
  toLeaseView,
  ViewerIdSchema,
} from '../lease-schema.ts';
import { LeaseStore } from '../lease-store.ts';
import { MarkStore } from '../mark-store.ts';
import { type RevocationResult, revokeMatchingLeases } from '../revoke-by-selector.ts';

const schema = {
  tags: ['leases'],
  operationId: 'revokeLeases',
  summary: 'Revoke leases',
  description:
    'Names one of leaseId, viewerId, contentId, or viewerId with contentId. A viewer names its own leaseId only, and does not wait.',
  querystring: WaitQuerySchema,
  body: Type.Object(
    {
      leaseId: Type.Optional(LeaseIdSchema),
      viewerId: Type.Optional(ViewerIdSchema),
      contentId: Type.Optional(ContentIdSchema),
      reason: Type.Optional(ReasonSchema),
    },
    { additionalProperties: false },
  ),
  response: {
    200: Type.Object({
      revoked: Type.Integer({ description: 'How many were newly revoked, exact up to 10,000.' }),
      more: Type.Optional(
        Type.Literal(true, {
          description:
            'Present if more were revoked than were counted. The audit row gets the exact number as `affected`.',
        }),
      ),
      leases: Type.Array(LeaseSchema, { description: 'The first 100 of them, newest first.' }),
      ...appliedMembers,
    }),
    ...problems(...playerRefusals, 'CONTENT_NOT_FOUND', 'LEASE_NOT_FOUND'),
  },
};

interface Body {
  leaseId?: string;
  viewerId?: string;
  contentId?: string;
  reason?: string;
}

/** `POST /keys/leases/revoke` */
export function addRevokeLeasesRoute(app: App, service: LeaseService): void {
  const config = {
    access: 'leases',
    contents: 'narrowed',
    action: 'lease.revoke',
    limit: 'leases',
    limitsRefusals: true,
  } as const;
  app.post('/keys/leases/revoke', { config, schema }, async (request, reply) => {
    const acting = actingIn(request);
    // A wait holds a connection to this service. One token could hold all of them.
    if (request.query.wait !== undefined) assertScope(acting.principal, 'manage');
    const { revoked, more, leases, named } = await revoke(service, request.body, acting).catch(
      async (error) => {
        // One token could guess ids without an end. A viewer whose limit is reached can still release its own lease.
        if (acting.principal.kind !== 'api-key' && error instanceof AppError && error.status < 500)
          await service.guard.limiter?.(request, reply);
        throw error;
      },
    );
    request.revocation = named;
    const waited = await waitIfAsked(request.query, service);
    const now = service.clock.now();
    return {
      revoked,
      ...(more && { more }),
      leases: leases.map((lease) => toLeaseView(lease, now)),
      ...waited,
    };
  });
}

/** The revoked leases, and the ids for the log line. */
type NamedResult = RevocationResult & { named: LoggedRevocation };

async function revoke(service: LeaseService, body: Body, acting: Acting): Promise<NamedResult> {
  const { leaseId, viewerId, contentId } = body;
  // Before it is stored: lists, webhooks and backups show it.
  const reason = body.reason === undefined ? null : redact(body.reason);
  if (leaseId === undefined) {
    if (viewerId === undefined && contentId === undefined)
      throw validationFailure('', 'must name leaseId, viewerId, contentId, or viewerId with contentId');
    assertScope(acting.principal, 'manage');
    if (contentId !== undefined) assertContentExists(acting.principal, contentId);
    else
      assertNotLimited(
        acting.principal,
        'manage',
        'This API key is limited to some contents: name a contentId or a leaseId. A viewerId alone is about all contents.',
      );
    const selector = {
      viewerId: viewerId === undefined ? null : readViewerId(viewerId),
      contentId: contentId ?? null,
    };
    const result = await revokeMatchingLeases(service, selector, reason, acting);
    return {
      ...result,
      named: {
        ...(selector.viewerId !== null && { viewerId: selector.viewerId }),
        ...(selector.contentId !== null && { contentId: selector.contentId }),
      },
    };
  }
  if (viewerId !== undefined || contentId !== undefined)
    throw validationFailure('/leaseId', 'stands alone: a lease has one viewer and one content');
  if (acting.principal.kind === 'api-key') return revokeLease(service, leaseId, reason, acting);
  return { ...(await releaseLease(service, leaseId, reason, acting)), named: { leaseId } };
}

const nothingRevoked: RevocationResult = { revoked: 0, more: false, leases: [] };

/**
 * A viewer releases its own lease. It leaves no mark, because the same token may get another lease. It writes no audit row, because
 * one token could fill the disk with such rows.
 *
 * @throws AppError LEASE_NOT_FOUND, also for a lease of another viewer
 */
async function releaseLease(
  service: LeaseService,
  leaseId: string,
  reason: string | null,
  acting: Acting,
): Promise<RevocationResult> {
  const viewerId = viewerIdOf(acting.principal);
  if (viewerId === null || !isUuid(leaseId)) throw new AppError('LEASE_NOT_FOUND');
  const { lease } = await service.acts.write({ kind: 'release', leaseId, viewerId, reason });
  return lease ? { revoked: 1, more: false, leases: [lease] } : nothingRevoked;
}

/**
 * Management revokes one lease, whatever its expiry, and marks its viewer and content: until it is issued a newer token,
 * the viewer gets no other lease for this content.
 *
 * @throws AppError LEASE_NOT_FOUND
 */
async function revokeLease(
  service: LeaseService,
  leaseId: string,
  reason: string | null,
  acting: Acting,
): Promise<NamedResult> {
  const { viewerId, contentId } = await findLease(service, leaseId);
  if (!isEntitled(acting.principal, contentId)) throw new AppError('LEASE_NOT_FOUND');
  const result = await service.ledger.write(async (entry) => {
    const { tx } = entry;
    await lockForRevocation(tx, { viewerId, contentId });
    // Read after the lock, so that creations that held the lock are not later than the mark.
    const now = service.clock.now();
    const ended = await new ActStore(tx).revoke(new Map([[leaseId, { reason }]]), {
      at: now,
      by: 'management',
    });
    const revoked = ended.get(leaseId);
    await auditRevocation(
      entry,
      acting,
      'lease.revoke',
      { leaseId, viewerId: null, contentId: null },
      becauseOf(reason),
    );
    // A repeat changes nothing: a mark of now would also refuse the token that was issued since. But a viewer
    // that releases a lease just before it is revoked does not escape the mark.
    const isRepeat = !revoked && (await new LeaseStore(tx).find(leaseId))?.revokedBy === 'management';
    if (isRepeat) return nothingRevoked;
    await new MarkStore(tx).mark({ viewerId, contentId }, now);
    const changeNumber = await entry.change({ kind: 'leases', leaseId, viewerId, contentId });
    if (!revoked) return nothingRevoked;
    entry.revoked(revoked, changeNumber);
    return { revoked: 1, more: false, leases: [revoked] };
  });
  // The mark names the viewer and the content, and a restored database may not have the lease.
  return { ...result, named: { leaseId, viewerId, contentId } };
}

async function findLease(service: LeaseService, leaseId: string): Promise<Lease> {
  const lease = isUuid(leaseId) ? await new LeaseStore(service.db).find(leaseId) : null;
  if (!lease) throw new AppError('LEASE_NOT_FOUND');
  return lease;
}
