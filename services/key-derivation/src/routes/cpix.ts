import { isContentId, keyEndpointOf, maxEpoch, type Principal } from '@latchkey/shared/contracts';
import { AppError, problems } from '@latchkey/shared/errors';
import { type App, validationFailure } from '@latchkey/shared/http';
import { Type } from 'typebox';
import { describeKeys } from '../cpix/describe-keys.ts';
import { type PackagerRouteOptions, publicUrlMissing } from './packager-options.ts';

/** As many keys as a packager may ask for at once by SPEKE. */
const mostEpochs = 64;

const schema = {
  tags: ['Packagers'],
  summary: 'Keys of a content as a CPIX document',
  description:
    'For packagers that read a CPIX 2.3 document before they begin. Each epoch is a key period. The keys are in the clear. The API key may also come as the password of `Basic`.',
  params: Type.Object({ id: Type.String() }),
  querystring: Type.Object(
    {
      epochs: Type.Optional(
        Type.String({
          pattern: '^(0|[1-9][0-9]{0,9})(-(0|[1-9][0-9]{0,9}))?$',
          description: `The epochs, such as 0-9 or 7, at most ${mostEpochs}. Left out: the key without an epoch.`,
        }),
      ),
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
      'CONTENT_NOT_FOUND',
      'EPOCH_NOT_FOUND',
      'EPOCH_NOT_YET',
      'EPOCH_PAST',
      'PUBLIC_URL_MISSING',
    ),
  },
};

const path = '/api/v1/content/:id/cpix';
/** Where this process forwards the other paths of contents, it would forward these methods too, and they would get 404. */
const otherMethods = ['POST', 'PUT', 'PATCH', 'DELETE'];

/** `GET /api/v1/content/:id/cpix` */
export function addCpixRoute(app: App, options: PackagerRouteOptions): void {
  app.route({
    method: 'GET',
    url: path,
    config: { access: 'packaging', limit: 'keys' },
    schema,
    handler: async (request, reply) => {
      const epochs = readEpochs(request.query.epochs);
      const document = await describe(options, request.principal, request.params.id, epochs);
      reply.header('content-type', 'application/xml; charset=utf-8');
      return document;
    },
  });
  app.route({
    method: otherMethods,
    url: path,
    config: { access: 'open', reserved: true },
    schema: { hide: true },
    // Before the body is parsed, so that it does not matter.
    onRequest: async (_request, reply) => {
      reply.header('allow', 'GET, HEAD');
      throw new AppError('METHOD_NOT_ALLOWED', { detail: 'This path takes GET, HEAD.' });
    },
    handler: () => {},
  });
}

/** `0-9`, `7`, or the key without an epoch. @throws AppError VALIDATION_FAILED */
function readEpochs(text: string | undefined): (number | undefined)[] {
  if (text === undefined) return [undefined];
  const [first = 0, last = first] = text.split('-').map(Number);
  if (last > maxEpoch) throw validationFailure('/epochs', `must be at most ${maxEpoch}`);
  if (last < first) throw validationFailure('/epochs', 'must have the lower epoch first');
  if (last - first >= mostEpochs) throw validationFailure('/epochs', `must be at most ${mostEpochs} epochs`);
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
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
