import { formatSid, hashSecret, secretBytes } from '@latchkey/shared/contracts';
import { AppError, problems } from '@latchkey/shared/errors';
import { type App, instantOf, nullableType } from '@latchkey/shared/http';
import { createAnswerOnce, idempotencyKeyHeader, type Once } from '@latchkey/shared/idempotency';
import { Type } from '@latchkey/shared/schema';
import type { ActResult } from '../acts/lease-act.ts';
import { actingIn } from '../lease-acting.ts';
import { assertMayPlay } from '../lease-conditions.ts';
import type { LeaseService } from '../lease-route-options.ts';
import { grantTtlSeconds } from '../lease-rules.ts';
import {
  creationBody,
  LeaseSchema,
  leaseholderOf,
  playerRefusals,
  RequestedTtlSchema,
  toLeaseView,
} from '../lease-schema.ts';

/** Taken for POST alone: `GET /keys/sessions` is the key of a content with that id. */
export const sessionsPath = '/keys/sessions';

const instant = Type.String({ format: 'date-time' });
const SessionSchema = Type.Object(
  {
    id: nullableType<string>({
      ...{ type: 'string', minLength: 43, maxLength: 43 },
      description:
        'The secret part of the URL. Null in the answer to a repeat with the same Idempotency-Key.',
    }),
    leaseId: Type.String({ format: 'uuid' }),
    viewerId: Type.String(),
    contentId: Type.String(),
    createdAt: instant,
    expiresAt: instant,
    endsAt: Type.String({ format: 'date-time', description: 'No use extends the session beyond.' }),
  },
  { title: 'Session' },
);

const schema = {
  tags: ['leases'],
  operationId: 'createSession',
  summary: 'Create a playback session: a lease that is given as a URL',
  description:
    'For players that can send no header. The URL is the secret, and no other answer has it. A second session of the same viewer, content and deviceId replaces the first.',
  headers: idempotencyKeyHeader,
  body: creationBody({
    ttlSeconds: Type.Optional({
      ...RequestedTtlSchema,
      description: 'How long each use extends the session. It may get a shorter time than requested.',
    }),
  }),
  response: {
    201: Type.Object(
      {
        session: SessionSchema,
        url: nullableType<string>({
          type: 'string',
          description:
            'The playlist of the content, for any player of HLS. Null in the answer to a repeat with the same Idempotency-Key.',
        }),
        lease: LeaseSchema,
      },
      { description: 'A new session' },
    ),
    ...problems(
      ...playerRefusals,
      'CONTENT_NOT_ENTITLED',
      'VIEWER_BLOCKED',
      'TOKEN_REVOKED',
      'CONTENT_NOT_FOUND',
      'SESSION_UNAVAILABLE',
      'LEASE_LIMIT_REACHED',
      'IDEMPOTENCY_KEY_IN_USE',
      'IDEMPOTENCY_KEY_REUSED',
    ),
  },
};

/** `POST /keys/sessions` */
export function addCreateSessionRoute(app: App, service: LeaseService): void {
  const config = {
    access: 'leases',
    contents: { in: 'body', member: 'contentId' },
    action: 'session.create',
    limit: 'leases',
  } as const;
  const answerOnce = createAnswerOnce(service, 'lease_idempotency_keys');
  app.post(sessionsPath, { config, schema }, async (request, reply) => {
    const acting = actingIn(request);
    const { contentId, ttlSeconds, deviceId = null, viewerId: named } = request.body;
    const viewerId = leaseholderOf(acting.principal, named);
    const secret = service.randomBytes(secretBytes);
    return answerOnce(request, reply, {
      async act(once: Once<ActResult> | undefined) {
        const content = await assertMayPlay(service, acting.principal, contentId);
        assertAvailable(service.publicUrl, content?.playlistUrl);
        const { rules } = service;
        const ttlMs = Math.min(grantTtlSeconds(rules, ttlSeconds), rules.sessionMaxSeconds) * 1_000;
        const session = { secretHash: hashSecret(secret) };
        const asked = { viewerId, contentId, deviceId, ttlMs, session };
        return service.acts.write({ kind: 'create', ...asked, once, acting });
      },
      answerOf: (result: ActResult) => ({ status: 201, body: describeSession(service, result, secret) }),
      // The URL is the secret, and only its hash is stored.
      hideSecrets: ({ session, ...body }) => ({ ...body, session: { ...session, id: null }, url: null }),
    });
  });
}

/** @throws AppError SESSION_UNAVAILABLE if either is not set */
function assertAvailable(publicUrl: string | null, playlistUrl: string | undefined): void {
  const words = {
    ...(publicUrl === null && {
      PUBLIC_URL: 'Set PUBLIC_URL to the URL under which players reach this server.',
    }),
    ...(playlistUrl === undefined && {
      playlistUrl: 'Set playlistUrl of the content to the URL of its playlist.',
    }),
  };
  const missing = Object.keys(words);
  if (missing.length === 0) return;
  throw new AppError('SESSION_UNAVAILABLE', {
    detail: Object.values(words).join(' '),
    members: { missing },
  });
}

/** The answer with a new session. The secret must go nowhere else. */
function describeSession(
  { publicUrl, clock }: Pick<LeaseService, 'publicUrl' | 'clock'>,
  { lease }: ActResult,
  secret: Uint8Array,
) {
  if (!lease?.session) throw new Error('a creation gave no session');
  const id = formatSid(lease.id, secret);
  const url = `${publicUrl}/play/${id}/index.m3u8`;
  const view = toLeaseView(lease, clock.now());
  const { createdAt, expiresAt, viewerId, contentId } = view;
  const endsAt = instantOf(lease.session.endsAt);
  return {
    session: { id, leaseId: lease.id, viewerId, contentId, createdAt, expiresAt, endsAt },
    url,
    lease: view,
  };
}
