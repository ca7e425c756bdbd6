import { hash } from 'node:crypto';
import { isContentId, maxEpoch } from '@latchkey/shared/contracts';
import { contentKeyInfo, keyIdOf } from '@latchkey/shared/derivation';
import { AppError, problems } from '@latchkey/shared/errors';
import { type App, validationFailure } from '@latchkey/shared/http';
import { Type } from '@latchkey/shared/schema';
import { EpochSchema } from './epochs.ts';
import type { PackagerRouteOptions } from './packager-options.ts';
import { refuseOtherMethods } from './refuse-other-methods.ts';

/** A block of AES (RFC 8216 section 5.2). */
const ivBytes = 16;

const Base64Schema = Type.String({ description: '16 bytes in base64.' });

const schema = {
  tags: ['Packagers'],
  operationId: 'getVodDrmKeys',
  summary: 'The key of a content, for nginx-vod-module',
  description:
    'Answers as the DRM upstream of nginx-vod-module: one key, its id and a vector, the same at each call. The API key may also come as the password of `Basic`.',
  params: Type.Object({ id: Type.String() }),
  querystring: Type.Object({ epoch: Type.Optional(EpochSchema) }, { additionalProperties: false }),
  response: {
    200: Type.Array(Type.Object({ key: Base64Schema, key_id: Base64Schema, iv: Base64Schema })),
    ...problems(
      'VALIDATION_FAILED',
      'UNAUTHENTICATED',
      'INVALID_API_KEY',
      'INSUFFICIENT_SCOPE',
      'CONTENT_NOT_ENTITLED',
      'CONTENT_NOT_FOUND',
      'EPOCH_NOT_FOUND',
      'EPOCH_NOT_YET',
      'EPOCH_PAST',
    ),
  },
};

const path = '/api/v1/content/:id/vod-drm';

/** `GET /api/v1/content/:id/vod-drm` */
export function addVodDrmRoute(app: App, { issuer }: Pick<PackagerRouteOptions, 'issuer'>): void {
  app.route({
    method: 'GET',
    url: path,
    config: { access: 'packaging', contents: 'decided', limit: 'keys' },
    schema,
    handler: async (request, reply) => {
      const { principal, params, query } = request;
      if (!principal) throw new AppError('UNAUTHENTICATED');
      const contentId = params.id;
      if (!isContentId(contentId)) throw new AppError('CONTENT_NOT_FOUND');
      const epoch = query.epoch === undefined ? undefined : Number(query.epoch);
      if (epoch !== undefined && epoch > maxEpoch)
        throw validationFailure('/epoch', `must be at most ${maxEpoch}`);
      const key = await issuer.issue({ principal, contentId, epoch, leaseId: null });
      reply.header('cache-control', 'no-store');
      return [
        {
          key: key.toString('base64'),
          key_id: keyIdOf(contentId, epoch).toString('base64'),
          iv: vectorOf(contentId, epoch).toString('base64'),
        },
      ];
    },
  });
  refuseOtherMethods(app, path, ['GET']);
}

/**
 * Every process of every nginx must encrypt a segment in the same way, so the vector follows from the name of the key. It is public:
 * the playlist contains it.
 */
function vectorOf(contentId: string, epoch: number | undefined): Buffer {
  return hash('sha256', `latchkey iv ${contentKeyInfo(contentId, epoch)}`, 'buffer').subarray(0, ivBytes);
}
