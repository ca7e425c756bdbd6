import { randomBytes } from 'node:crypto';
import { isContentId, keyEndpointOf, type Principal } from '@latchkey/shared/contracts';
import { AppError, problems } from '@latchkey/shared/errors';
import type { App } from '@latchkey/shared/http';
import { type TSchema, Type } from '@latchkey/shared/schema';
import type { SpekeDocument } from '../cpix/speke-document.ts';
import { type PackagerRouteOptions, publicUrlMissing } from './packager-options.ts';

/** `docs/reference/contract.md#packagers`. The largest of AWS's examples has 12 KiB, and 64 keys with certificates some 60. */
const bodyLimitBytes = 256 * 1024;
const xmlTypes = ['application/xml', 'text/xml'] as const;

const config = { access: 'packaging', contents: 'decided', limit: 'keys' } as const;
const xmlBody = (schema: TSchema) =>
  Object.fromEntries(xmlTypes.map((type) => [type, { schema }])) as Record<string, { schema: TSchema }>;
const CpixSchema = Type.Unknown({
  description: 'A CPIX document in UTF-8, without DOCTYPE; 256 KiB, 64 keys.',
});

const answers = {
  200: {
    description: 'The document that came, with the keys and their URLs.',
    content: { 'application/xml': { schema: Type.String() } },
  },
  ...problems(
    'VALIDATION_FAILED',
    'UNAUTHENTICATED',
    'INVALID_API_KEY',
    'INSUFFICIENT_SCOPE',
    'CONTENT_NOT_ENTITLED',
    'CONTENT_NOT_FOUND',
    'EPOCH_NOT_FOUND',
    'PUBLIC_URL_MISSING',
    'PAYLOAD_TOO_LARGE',
    'UNSUPPORTED_MEDIA_TYPE',
    'CPIX_REFUSED',
  ),
};
const about =
  'The API key may also come as the password of `Basic`. A refusal has the text of the specification in `detail`.';

/** The name of this server for packagers, in both spellings of the header. */
const userAgent = 'Latchkey';

/** `POST /speke/v2.0/copyProtection`, `POST /speke/v1.0/copyProtection` and its heartbeat. */
export function addSpekeRoutes(app: App, options: PackagerRouteOptions): void {
  acceptXmlBodies(app);
  app.route({
    method: 'POST',
    url: '/speke/v2.0/copyProtection',
    config,
    bodyLimit: bodyLimitBytes,
    schema: {
      tags: ['Packagers'],
      operationId: 'fillSpeke2Document',
      summary: 'Content keys for a packager, by SPEKE 2.0 or 2.1',
      description: `Needs \`X-Speke-Version\`: 2.0 with CPIX 2.3, or 2.1 with CPIX 2.4. ${about}`,
      headers: Type.Object(
        { 'x-speke-version': Type.Optional(Type.String({ description: '`2.0` or `2.1`.' })) },
        { additionalProperties: true },
      ),
      body: { content: xmlBody(CpixSchema) },
      response: answers,
    },
    handler: async (request, reply) => {
      const { 'x-speke-version': header } = request.headers;
      const version = typeof header === 'string' ? header.trim() : '';
      reply.header('x-speke-user-agent', userAgent);
      // Loaded with the first request: most servers have no packager that speaks SPEKE.
      const { openSpeke2 } = await import('../cpix/speke-document.ts');
      const document = openSpeke2(bodyOf(request.body), version, toOpenOptions(options));
      const filled = await fill(options, request.principal, document);
      reply.header('x-speke-version', version).header('content-type', 'application/xml; charset=utf-8');
      return filled;
    },
  });
  app.route({
    method: 'POST',
    url: '/speke/v1.0/copyProtection',
    config,
    bodyLimit: bodyLimitBytes,
    schema: {
      tags: ['Packagers'],
      operationId: 'fillSpeke1Document',
      summary: 'Content keys for a packager, by SPEKE 1.0',
      description: about,
      body: { content: xmlBody(CpixSchema) },
      response: answers,
    },
    handler: async (request, reply) => {
      reply.header('speke-user-agent', userAgent);
      const { openSpeke1 } = await import('../cpix/speke-document.ts');
      const document = openSpeke1(bodyOf(request.body), toOpenOptions(options));
      const filled = await fill(options, request.principal, document);
      reply.header('content-type', 'application/xml; charset=utf-8');
      return filled;
    },
  });
  app.route({
    method: 'GET',
    url: '/speke/v1.0/heartbeat',
    config,
    schema: {
      tags: ['Packagers'],
      operationId: 'getSpekeHeartbeat',
      summary: 'Whether the server answers packagers by SPEKE 1.0',
      response: {
        200: { description: 'It does.', content: { 'text/plain': { schema: Type.String() } } },
        ...problems('UNAUTHENTICATED', 'INVALID_API_KEY', 'INSUFFICIENT_SCOPE'),
      },
    },
    handler: async (_request, reply) => {
      reply.header('speke-user-agent', userAgent).header('content-type', 'text/plain; charset=utf-8');
      return 'ok\n';
    },
  });
}

/** XML and nothing else, as bytes: the parser decides about the encoding. */
function acceptXmlBodies(app: App): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser([...xmlTypes], { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) =>
    done(new AppError('UNSUPPORTED_MEDIA_TYPE', { detail: 'Send XML with Content-Type: application/xml.' })),
  );
}

/** Empty without a body. An empty document is no XML. */
function bodyOf(body: unknown): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}

/** @throws AppError PUBLIC_URL_MISSING */
function toOpenOptions({ publicUrl }: PackagerRouteOptions) {
  if (publicUrl === null) throw publicUrlMissing();
  return {
    randomBytes,
    keyUrl: (contentId: string, keyId: string) => `${keyEndpointOf(publicUrl, contentId)}/kid/${keyId}`,
  };
}

/** All keys or none: each is decided about like any key request. */
async function fill(
  { issuer }: PackagerRouteOptions,
  principal: Principal | null,
  { contentId, keyIds, fill: fillIn }: SpekeDocument,
): Promise<string> {
  if (!principal) throw new AppError('UNAUTHENTICATED');
  // With an id of another form, the key could be the key of another content and key id.
  if (!isContentId(contentId)) throw new AppError('CONTENT_NOT_FOUND');
  const contentKeys = new Map<string, Buffer>();
  for (const kid of keyIds) {
    const request = { principal, contentId, epoch: undefined, kid, leaseId: null };
    contentKeys.set(kid, await issuer.issue(request));
  }
  return fillIn(contentKeys);
}
