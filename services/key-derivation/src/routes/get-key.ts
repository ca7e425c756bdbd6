import type { CredentialSource } from '@latchkey/shared/auth';
import { ContentIdSchema, maxEpoch, UuidSchema } from '@latchkey/shared/contracts';
import { contentKeyBytes } from '@latchkey/shared/derivation';
import { AppError, problems } from '@latchkey/shared/errors';
import { type App, validationFailure } from '@latchkey/shared/http';
import { Type } from '@latchkey/shared/schema';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CountKeyRequest } from '../count-key-request.ts';
import type { ContentKeyIssuer } from '../issue-content-key.ts';
import { EpochSchema } from './epochs.ts';

export interface KeyRouteOptions {
  issuer: ContentKeyIssuer;
  countKeyRequest: CountKeyRequest;
  viewerSources: readonly CredentialSource[];
}

/** Names the lease that the viewer plays under. */
export const leaseHeaders = Type.Object(
  { 'x-lease-id': Type.Optional(Type.String({ description: 'The lease that the viewer plays under.' })) },
  { additionalProperties: true },
);
/** Every refusal of a content key. */
export const keyRefusals = problems(
  'VALIDATION_FAILED',
  'UNAUTHENTICATED',
  'INVALID_TOKEN',
  'INVALID_API_KEY',
  'INVALID_SESSION',
  'INSUFFICIENT_SCOPE',
  'CONTENT_NOT_ENTITLED',
  'CONTENT_NOT_FOUND',
  'LEASE_REQUIRED',
  'LEASE_UNKNOWN',
  'LEASE_EXPIRED',
  'LEASE_REVOKED',
  'VIEWER_BLOCKED',
  'TOKEN_REVOKED',
  'EPOCH_NOT_YET',
  'EPOCH_PAST',
  'EPOCH_NOT_FOUND',
  'KEY_PACE_EXCEEDED',
);

const common = {
  tags: ['Content keys'],
  description:
    'Instead of `Authorization`, the URL that key info names has a credential in its query, `key_credential`: good for one minute and for that key alone. The URLs in the playlist of a playback session have its id, `s`: good for keys of its content alone.',
  headers: leaseHeaders,
  response: {
    200: {
      description: 'The content key: exactly 16 bytes.',
      content: {
        'application/octet-stream': {
          schema: Type.String({ format: 'binary', minLength: 16, maxLength: 16 }),
        },
      },
    },
    ...keyRefusals,
  },
};
/** The patterns of the routes: of a content without epochs, of one with them, and of keys that a packager named. */
const keyRoutes = {
  whole: '/keys/:contentId',
  epoch: '/keys/:contentId/:epoch',
  kid: '/keys/:contentId/kid/:kid',
} as const;

/** Values of `Cross-Origin-Resource-Policy` (Fetch standard, section 3.6). */
type Embedders = 'same-site' | 'cross-origin';

/** The headers of a key's answer, in addition to the headers of every answer. */
const keyHeaders: Record<Embedders, Readonly<Record<string, string>>> = {
  'same-site': toKeyHeaders('same-site'),
  'cross-origin': toKeyHeaders('cross-origin'),
};

function toKeyHeaders(embedders: Embedders) {
  return {
    'cross-origin-resource-policy': embedders,
    'content-type': 'application/octet-stream',
    'content-length': String(contentKeyBytes),
  };
}

/**
 * Which pages may load the answer without CORS. With CORS, `CORS_ORIGINS` decides and the header counts for nothing. Native HLS in a
 * `<video>` without the attribute `crossorigin` loads keys without CORS. So every page may if the URL has the credential, or none is needed.
 * With a cookie, pages of the same site may: a player of `www.example.com` plays with keys of `keys.example.com`.
 */
export function embeddersOf(
  { headers, query, principal }: FastifyRequest,
  viewerSources: readonly CredentialSource[],
): Embedders {
  // Without CORS, no page can send this header.
  if (headers.authorization !== undefined) return 'same-site';
  const { access_token: token } = query as { access_token?: unknown };
  const isInUrl = viewerSources.includes('query') && typeof token === 'string' && token !== '';
  return principal?.kind === 'viewer' && !isInUrl ? 'same-site' : 'cross-origin';
}

const config = { access: 'keys', contents: 'decided', limit: 'keys' } as const;

/** ffmpeg requests keys by PUT if it uploads by PUT: `docs/reference/contract.md#live-encoders`. */
const methods = ['GET', 'PUT'] as const;
const asEncodersAsk = {
  GET: { words: '', suffix: '' },
  PUT: { words: ', for encoders that upload by PUT', suffix: 'ByPut' },
};

/** `GET` and `PUT` of `/keys/:contentId` and `/keys/:contentId/:epoch`, and `GET` of `/keys/:contentId/kid/:kid`. */
export function addKeyRoutes(app: App, options: KeyRouteOptions): void {
  for (const method of methods) {
    const { words, suffix } = asEncodersAsk[method];
    app.route({
      method,
      url: keyRoutes.whole,
      config,
      schema: {
        ...common,
        operationId: `getContentKey${suffix}`,
        summary: `The content key${words}`,
        params: Type.Object({ contentId: ContentIdSchema }),
      },
      handler: (request, reply) => {
        answer(options, request as FastifyRequest, reply, { contentId: request.params.contentId });
      },
    });
    app.route({
      method,
      url: keyRoutes.epoch,
      config,
      schema: {
        ...common,
        operationId: `getContentKeyOfEpoch${suffix}`,
        summary: `The content key of one period${words}`,
        params: Type.Object({ contentId: ContentIdSchema, epoch: EpochSchema }),
      },
      handler: (request, reply) => {
        const epoch = Number(request.params.epoch);
        if (epoch > maxEpoch) throw validationFailure('/epoch', `must be at most ${maxEpoch}`);
        answer(options, request as FastifyRequest, reply, { contentId: request.params.contentId, epoch });
      },
    });
  }
  app.route({
    method: 'GET',
    url: keyRoutes.kid,
    config,
    schema: {
      ...common,
      operationId: 'getContentKeyByKid',
      summary: 'The content key that a packager named by its key id',
      params: Type.Object({ contentId: ContentIdSchema, kid: UuidSchema }),
    },
    handler: (request, reply) => {
      answer(options, request as FastifyRequest, reply, request.params);
    },
  });
}

/** The key that the path names. */
interface NamedKey {
  contentId: string;
  epoch?: number;
  kid?: string;
}

/** Not an async function: the usual answer needs no wait, and a promise would cost time. */
function answer(
  { issuer, countKeyRequest, viewerSources }: KeyRouteOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  { contentId, epoch, kid }: NamedKey,
): void {
  const { principal } = request;
  if (!principal) throw new AppError('UNAUTHENTICATED');
  const send = (key: Buffer) => {
    countKeyRequest(principal, contentId, null);
    reply.sendWhole(keyHeaders[embeddersOf(request, viewerSources)], key);
  };
  const leaseId = leaseIdOf(request, viewerSources);
  const named = { principal, contentId, epoch, leaseId };
  const key = issuer.issue(kid === undefined ? named : { ...named, kid });
  if (key instanceof Promise) key.then(send, (error: Error) => reply.send(error));
  else send(key);
}

/** The header takes precedence. The query counts only if `VIEWER_TOKEN_FROM` allows it. An empty text names no lease. */
export function leaseIdOf(
  request: FastifyRequest,
  viewerSources: readonly CredentialSource[],
): string | null {
  const header = request.headers['x-lease-id'];
  if (typeof header === 'string' && header !== '') return header;
  if (!viewerSources.includes('query')) return null;
  const { lease_id: leaseId } = request.query as { lease_id?: unknown };
  return typeof leaseId === 'string' && leaseId !== '' ? leaseId : null;
}
