import { isContentId, keyEndpointOf, type Principal } from '@latchkey/shared/contracts';
import { AppError, problems } from '@latchkey/shared/errors';
import type { App } from '@latchkey/shared/http';
import { Type } from '@latchkey/shared/schema';
import { describeKeys } from '../cpix/describe-keys.ts';
import { EpochsSchema, readEpochs } from './epochs.ts';
import { type PackagerRouteOptions, publicUrlMissing } from './packager-options.ts';
import { refuseOtherMethods } from './refuse-other-methods.ts';

/** As many keys as a packager may ask for at once by SPEKE. */
const mostEpochs = 64;

const schema = {
  tags: ['Packagers'],
  operationId: 'getCpixDocument',
  summary: 'Keys of a content as a CPIX document',
  description:
    'For packagers that read a CPIX 2.3 document before they begin. Each epoch is a key period. The keys are in the clear. The API key may also come as the password of `Basic`.',
  params: Type.Object({ id: Type.String() }),
  querystring: Type.Object(
    {
      epochs: Type.Optional(EpochsSchema(mostEpochs, 'the key without an epoch')),
    },
    { additionalProperties: false },
  ),
  response: {
    200: { description: 'CPIX 2.3.', content: { 'application/xml': { schema: Type.String() } } },
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
      'PUBLIC_URL_MISSING',
    ),
  },
};

const path = '/api/v1/content/:id/cpix';
/** `GET /api/v1/content/:id/cpix` */
export function addCpixRoute(app: App, options: PackagerRouteOptions): void {
  app.route({
    method: 'GET',
    url: path,
    config: { access: 'packaging', contents: 'decided', limit: 'keys' },
    schema,
    handler: async (request, reply) => {
      const { epochs: text } = request.query;
      const epochs = text === undefined ? [undefined] : readEpochs(text, mostEpochs);
      const document = await describe(options, request.principal, request.params.id, epochs);
      reply.header('content-type', 'application/xml; charset=utf-8');
      return document;
    },
  });
  refuseOtherMethods(app, path, ['GET']);
}

/** All keys or none: each is decided about like any key request. */
async function describe(
  { issuer, publicUrl }: PackagerRouteOptions,
  principal: Principal | null,
  contentId: string,
  epochs: readonly (number | undefined)[],
): Promise<string> {
  if (!principal) throw new AppError('UNAUTHENTICATED');
  if (publicUrl === null) throw publicUrlMissing();
  if (!isContentId(contentId)) throw new AppError('CONTENT_NOT_FOUND');
  const endpoint = keyEndpointOf(publicUrl, contentId);
  const keys = [];
  for (const epoch of epochs) {
    const contentKey = await issuer.issue({ principal, contentId, epoch, leaseId: null });
    keys.push({ epoch, contentKey, url: epoch === undefined ? endpoint : `${endpoint}/${epoch}` });
  }
  return describeKeys(contentId, keys);
}
