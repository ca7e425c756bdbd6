import { assertScope } from '@latchkey/shared/auth';
import { ContentIdSchema } from '@latchkey/shared/contracts';
import { problems } from '@latchkey/shared/errors';
import { type App, validationFailure } from '@latchkey/shared/http';
import { Type } from 'typebox';
import type { Acting } from '../lease-acting.ts';
import type { LeaseService } from '../lease-route-options.ts';
import { LeaseIdSchema, LeaseSchema, ReasonSchema, toLeaseView, ViewerIdSchema } from '../lease-schema.ts';
import { type RevocationResult, revokeMatchingLeases } from '../revoke-by-selector.ts';
import { releaseLease, revokeLease } from '../revoke-leases.ts';
import { readViewerId } from '../viewer-id.ts';
import { actingIn } from './acting.ts';

const schema = {
  tags: ['leases'],
  summary: 'Revoke leases',
  description:
    'Names one of leaseId, viewerId, contentId, or viewerId with contentId. A viewer names its own leaseId only.',
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
            'There where more were revoked than were counted. The audit row gets the exact number as `affected`.',
        }),
      ),
      leases: Type.Array(LeaseSchema, { description: 'The first 100 of them, newest first.' }),
    }),
    ...problems(
      'VALIDATION_FAILED',
      'UNAUTHENTICATED',
      'INVALID_TOKEN',
      'INVALID_API_KEY',
      'INSUFFICIENT_SCOPE',
      'LEASE_NOT_FOUND',
    ),
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
  const config = { access: 'leases', action: 'lease.revoke' } as const;
  app.post('/keys/leases/revoke', { config, schema }, async (request) => {
    const { revoked, more, leases } = await revoke(service, request.body, actingIn(request));
    const now = service.clock.now();
    return {
      revoked,
      ...(more && { more }),
      leases: leases.map((lease) => toLeaseView(lease, now)),
    };
  });
}

async function revoke(service: LeaseService, body: Body, acting: Acting): Promise<RevocationResult> {
  const { leaseId, viewerId, contentId, reason = null } = body;
  if (leaseId === undefined) {
    if (viewerId === undefined && contentId === undefined)
      throw validationFailure('', 'must name leaseId, viewerId, contentId, or viewerId with contentId');
    assertScope(acting.principal, 'manage');
    const selector = {
      viewerId: viewerId === undefined ? null : readViewerId(viewerId),
      contentId: contentId ?? null,
    };
    return revokeMatchingLeases(service, selector, reason, acting);
  }
  if (viewerId !== undefined || contentId !== undefined)
    throw validationFailure('/leaseId', 'stands alone: a lease has one viewer and one content');
  const asManagement = acting.principal.kind === 'api-key';
  return (asManagement ? revokeLease : releaseLease)(service, leaseId, reason, acting);
}
