import { ContentIdSchema } from '@latchkey/shared/contracts';
import { readKeyId } from '@latchkey/shared/derivation';
import { AppError } from '@latchkey/shared/errors';
import { type App, acceptJsonBodies, validationFailure } from '@latchkey/shared/http';
import { type Static, Type } from '@latchkey/shared/schema';
import type { FastifyRequest } from 'fastify';
import { embeddersOf, type KeyRouteOptions, keyRefusals, leaseHeaders, leaseIdOf } from './get-key.ts';

/** As many keys as a packager may ask for at once. */
const mostKeyIds = 64;
/** 64 key ids take 1,600 bytes. */
const bodyLimitBytes = 4_096;

/** 16 bytes in base64url, without padding and with the unused bits of the last digit zero: each key id has one form. */
const KeyIdSchema = Type.String({ pattern: '^[A-Za-z0-9_-]{21}[AQgw]$' });

/** Other members are ignored: a browser writes this text, and no page can leave one out. */
const RequestSchema = Type.Object({
  kids: Type.Array(KeyIdSchema, { minItems: 1, maxItems: mostKeyIds }),
  type: Type.Optional(Type.String({ description: '`temporary`, as without it.' })),
});

const LicenseSchema = Type.Object({
  keys: Type.Array(
    Type.Object({
      kty: Type.Literal('oct'),
      kid: KeyIdSchema,
      k: Type.String({ description: 'The 16 bytes of the content key in base64url.' }),
    }),
  ),
  type: Type.Literal('temporary'),
});

/**
 * `POST /licenses/clearkey/:contentId`: keys in the formats of W3C Encrypted Media Extensions, sections 9.1.3 and 9.1.4, which the
 * Clear Key module of a browser reads.
 */
export function addClearKeyRoute(app: App, options: KeyRouteOptions): void {
  // Pages send the text of the browser with any type or none.
  acceptJsonBodies(app, '*');
  app.route({
    method: 'POST',
    url: '/licenses/clearkey/:contentId',
    config: { access: 'licenses', contents: 'decided', limit: 'keys' },
    bodyLimit: bodyLimitBytes,
    schema: {
      tags: ['Content keys'],
      operationId: 'issueClearKeyLicense',
      summary: 'A Clear Key licence for DASH and CMAF',
      description:
        'Request and answer have the form of W3C Encrypted Media Extensions, whatever the type of the request. Each key is decided about as by `GET /keys/…`. The first refusal is the answer for all. Key ids come from `latchkey encrypt --scheme` or from a CPIX document for this content.',
      params: Type.Object({ contentId: ContentIdSchema }),
      headers: leaseHeaders,
      body: RequestSchema,
      response: { 200: LicenseSchema, ...keyRefusals },
    },
    handler: async (request, reply) => {
      const license = await issueLicense(
        options,
        request as FastifyRequest,
        request.params.contentId,
        request.body,
      );
      options.countKeyRequest(request.principal, request.params.contentId, null);
      const embedders = embeddersOf(request as FastifyRequest, options.viewerSources);
      reply.header('cross-origin-resource-policy', embedders);
      return license;
    },
  });
}

/**
 * All keys or none. They are decided about one after the other, so the last decision is later than all waits, and it holds for the same
 * content, viewer and lease as the others: no key leaves after a revocation that a wait let pass.
 */
async function issueLicense(
  { issuer, viewerSources }: KeyRouteOptions,
  request: FastifyRequest,
  contentId: string,
  { kids, type = 'temporary' }: Static<typeof RequestSchema>,
): Promise<Static<typeof LicenseSchema>> {
  const { principal } = request;
  if (!principal) throw new AppError('UNAUTHENTICATED');
  if (type !== 'temporary')
    throw validationFailure('/type', 'must be temporary: a key that a device keeps cannot be revoked');
  const leaseId = leaseIdOf(request, viewerSources);
  // A browser may name a key twice, once for each track.
  const named = [...new Set(kids)].map((kid) => ({ kid, epoch: readEpoch(contentId, kid, kids) }));
  const keys = [];
  for (const { kid, epoch } of named) {
    const contentKey = await issuer.issue({ principal, contentId, epoch, leaseId });
    keys.push({ kty: 'oct' as const, kid, k: contentKey.toString('base64url') });
  }
  return { keys, type };
}

/** @throws AppError VALIDATION_FAILED. A derived key of any id would play nothing and say nothing about why */
function readEpoch(contentId: string, kid: string, kids: readonly string[]): number | undefined {
  const read = readKeyId(contentId, Buffer.from(kid, 'base64url'));
  if (read) return read.epoch;
  throw validationFailure(`/kids/${kids.indexOf(kid)}`, `is not a key id of the content ${contentId}`);
}
