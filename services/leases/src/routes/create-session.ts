import { ContentIdSchema, formatSid, hashSecret, secretBytes } from '@latchkey/shared/contracts';
import { AppError, problems } from '@latchkey/shared/errors';
import { type App, instantOf, nullableType } from '@latchkey/shared/http';
import { createAnswerOnce, idempotencyKeyHeader, type Once } from '@latchkey/shared/idempotency';
import { Type } from '@latchkey/shared/schema';
import type { ActResult } from '../acts/lease-act.ts';
import { type Acting, actingIn } from '../lease-acting.ts';
import { assertContentOpen, assertEntitled } from '../lease-conditions.ts';
import type { LeaseService } from '../lease-route-options.ts';
import { grantTtlSeconds } from '../lease-rules.ts';
import {
  DeviceIdSchema,
  LeaseSchema,
  leaseholderOf,
  RequestedTtlSchema,
  toLeaseView,
  ViewerIdSchema,
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
  body: Type.Object(
    {
      contentId: ContentIdSchema,
      ttlSeconds: Type.Optional({
        ...RequestedTtlSchema,
        description: 'How long each use extends the session. It may get a shorter time than requested.',
      }),
      deviceId: Type.Optional(DeviceIdSchema),
      viewerId: Type.Optional({ ...ViewerIdSchema, description: 'From an API key only, and then required.' }),
    },
    { additionalProperties: false },
  ),
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
      'VALIDATION_FAILED',
      'UNAUTHENTICATED',
      'INVALID_TOKEN',
      'INVALID_API_KEY',
      'INSUFFICIENT_SCOPE',
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
    const { contentId, ttlSeconds, deviceId = null, viewerId } = request.body;
    const holder = leaseholderOf(acting.principal, viewerId);
    const asked = { viewerId: holder, contentId, deviceId, ttlSeconds };
    const secret = service.randomBytes(secretBytes);
    return answerOnce(request, reply, {
      act: (once) => createSession(service, { ...asked, secret }, acting, once),
      answerOf: (result: ActResult) => ({ status: 201, body: describeSession(service, result, secret) }),
      // The URL is the secret, and only its hash is stored.
      hideSecrets: ({ session, ...body }) => ({ ...body, session: { ...session, id: null }, url: null }),
    });
  });
}

interface SessionRequest {
  viewerId: string;
  contentId: string;
  deviceId: string | null;
  ttlSeconds: number | undefined;
  secret: Uint8Array;
}

/**
 * Gives the viewer a new session for the content.
 *
 * @throws AppError CONTENT_NOT_ENTITLED, CONTENT_NOT_FOUND, SESSION_UNAVAILABLE, VIEWER_BLOCKED, TOKEN_REVOKED, LEASE_LIMIT_REACHED,
 *   IDEMPOTENCY_KEY_IN_USE
 */
async function createSession(
  service: LeaseService,
  { ttlSeconds, secret, ...asked }: SessionRequest,
  acting: Acting,
  once: Once<ActResult> | undefined,
): Promise<ActResult> {
  const { rules, publicUrl } = service;
  assertEntitled(acting.principal, asked.contentId);
  // Before the transaction, because the answer may come from another process.
  const content = await assertContentOpen(service, asked.contentId);
  if (publicUrl === null || content?.playlistUrl === undefined)
    throw unavailable([
      ...(publicUrl === null ? ['PUBLIC_URL'] : []),
      ...(content?.playlistUrl === undefined ? ['playlistUrl'] : []),
    ]);
  const ttlMs = Math.min(grantTtlSeconds(rules, ttlSeconds), rules.sessionMaxSeconds) * 1_000;
  const session = { secretHash: hashSecret(secret) };
  return service.acts.write({ kind: 'create', ...asked, ttlMs, session, once, acting });
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

/** @param missing what is not set */
function unavailable(missing: readonly string[]): AppError {
  const words: Record<string, string> = {
    PUBLIC_URL: 'Set PUBLIC_URL to the URL under which players reach this server.',
    playlistUrl: 'Set playlistUrl of the content to the URL of its playlist.',
  };
  return new AppError('SESSION_UNAVAILABLE', {
    detail: missing.map((name) => words[name]).join(' '),
    members: { missing },
  });
}
