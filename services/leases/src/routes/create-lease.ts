import { problems } from '@latchkey/shared/errors';
import type { App } from '@latchkey/shared/http';
import { createAnswerOnce, idempotencyKeyHeader, type Once } from '@latchkey/shared/idempotency';
import { Type } from '@latchkey/shared/schema';
import type { ActResult } from '../acts/lease-act.ts';
import { actingIn } from '../lease-acting.ts';
import { assertMayPlay } from '../lease-conditions.ts';
import type { LeaseService } from '../lease-route-options.ts';
import { grantTtlSeconds } from '../lease-rules.ts';
import {
  creationBody,
  grantOf,
  grantResponse,
  leaseholderOf,
  playerRefusals,
  RequestedTtlSchema,
} from '../lease-schema.ts';

const schema = {
  tags: ['leases'],
  operationId: 'createLease',
  summary: 'Create a lease, or renew the active one of the same viewer, content and device',
  description:
    'Without a deviceId each call is a playback of its own and makes a new lease, which counts for LEASE_MAX_PER_VIEWER.',
  headers: idempotencyKeyHeader,
  body: creationBody({ requestedTtlSeconds: Type.Optional(RequestedTtlSchema) }),
  response: {
    200: grantResponse('The active lease of the same viewer, content and device, renewed'),
    201: grantResponse('A new lease'),
    ...problems(
      ...playerRefusals,
      'CONTENT_NOT_ENTITLED',
      'VIEWER_BLOCKED',
      'TOKEN_REVOKED',
      'CONTENT_NOT_FOUND',
      'LEASE_LIMIT_REACHED',
      'IDEMPOTENCY_KEY_IN_USE',
      'IDEMPOTENCY_KEY_REUSED',
    ),
  },
};

/**
 * `POST /keys/leases`: gives the viewer a lease for the content: a new one, or the active one of the same device, renewed. Without a
 * `deviceId` it is always a new one, because two players cannot be distinguished.
 */
export function addCreateLeaseRoute(app: App, service: LeaseService): void {
  const config = {
    access: 'leases',
    contents: { in: 'body', member: 'contentId' },
    action: 'lease.create',
    limit: 'leases',
  } as const;
  const answerOnce = createAnswerOnce(service, 'lease_idempotency_keys');
  app.post('/keys/leases', { config, schema }, async (request, reply) => {
    const acting = actingIn(request);
    const { contentId, requestedTtlSeconds, deviceId = null, viewerId: named } = request.body;
    const ttlSeconds = grantTtlSeconds(service.rules, requestedTtlSeconds);
    const viewerId = leaseholderOf(acting.principal, named);
    const asked = { viewerId, contentId, deviceId, ttlMs: ttlSeconds * 1_000 };
    return answerOnce(request, reply, {
      async act(once: Once<ActResult> | undefined) {
        await assertMayPlay(service, acting.principal, contentId);
        return service.acts.write({ kind: 'create', ...asked, once, acting });
      },
      answerOf({ lease, created }) {
        if (!lease) throw new Error('a creation gave no lease');
        return {
          status: created ? 201 : 200,
          body: grantOf({ lease, ttlSeconds }, service.clock.now()),
        };
      },
    });
  });
}
