import type { KeyCredentials } from '@latchkey/shared/auth';
import type { Clock } from '@latchkey/shared/clock';
import {
  type ContentReader,
  currentEpochOf,
  findEpochRefusal,
  isContentId,
  type KeyPeriods,
  keyEndpointOf,
  maxEpoch,
  type Principal,
  toRefusalError,
} from '@latchkey/shared/contracts';
import { AppError, problems } from '@latchkey/shared/errors';
import type { App } from '@latchkey/shared/http';
import { Type } from '@latchkey/shared/schema';
import { ContentParametersSchema, ofContent } from '../content-schema.ts';

export interface KeyInfoOptions {
  contents: ContentReader;
  keyCredentials: KeyCredentials;
  /** `PUBLIC_URL`; null if it is not set: then there is no key info. */
  publicUrl: string | null;
  clock: Clock;
  randomBytes: (size: number) => Buffer;
}

/** The block size of AES (RFC 8216 section 5.2). */
const ivBytes = 16;

const QuerySchema = Type.Object(
  {
    epoch: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: maxEpoch,
        description: 'Optional. Default: the current epoch, for content with key periods by the clock.',
      }),
    ),
  },
  { additionalProperties: false },
);

const schema = {
  tags: ['Live encoders'],
  description:
    "The three lines of ffmpeg's `-hls_key_info_file`: the key's URI for the playlist, the URL to read the key from, and an IV, random at each call. The second URL has a credential of its own, good for one minute and this key alone. The API key may also come as the password of `Basic`.",
  params: ContentParametersSchema,
  querystring: QuerySchema,
  response: {
    200: {
      description: 'Three lines.',
      content: { 'text/plain': { schema: Type.String() } },
    },
    ...problems(
      'VALIDATION_FAILED',
      'UNAUTHENTICATED',
      'INVALID_TOKEN',
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
/** API keys have a limit of their own for keys: an encoder reads the key info for each segment of each rendition. */
const config = {
  access: 'key-info',
  contents: ofContent,
  action: 'content.key-info',
  limit: 'keys',
} as const;

/** `GET` and `PUT /api/v1/content/:id/key-info`: ffmpeg sends a PUT if it uploads by PUT. */
export function addKeyInfoRoutes(app: App, options: KeyInfoOptions): void {
  const routes = [
    ['GET', 'getKeyInfo', 'Where an encoder reads the key of now'],
    ['PUT', 'getKeyInfoByPut', 'The same as GET, for encoders that upload by PUT'],
  ] as const;
  for (const [method, operationId, summary] of routes) {
    app.route({
      method,
      url: '/api/v1/content/:id/key-info',
      config,
      schema: { ...schema, operationId, summary },
      handler: async (request, reply) => {
        const { principal } = request;
        if (principal?.kind !== 'api-key') throw new AppError('UNAUTHENTICATED');
        const text = await describeKey(options, principal, request.params.id, request.query.epoch);
        reply.header('content-type', 'text/plain; charset=utf-8');
        return text;
      },
    });
  }
}

type ApiKeyPrincipal = Extract<Principal, { kind: 'api-key' }>;

async function describeKey(
  { contents, keyCredentials, publicUrl, clock, randomBytes }: KeyInfoOptions,
  principal: ApiKeyPrincipal,
  contentId: string,
  wanted: number | undefined,
): Promise<string> {
  const content = isContentId(contentId) ? await contents.findContent(contentId) : null;
  if (content?.status !== 'active') throw new AppError('CONTENT_NOT_FOUND');
  const epoch = chooseEpoch(content.keyPeriods ?? null, wanted, clock.now());
  if (publicUrl === null)
    throw new AppError('PUBLIC_URL_MISSING', {
      detail:
        'Set PUBLIC_URL to the URL under which encoders and players reach this server: playlists need absolute key URLs.',
    });
  const uri = keyEndpointOf(publicUrl, contentId) + (epoch === undefined ? '' : `/${epoch}`);
  const name = { contentId, ...(epoch === undefined ? {} : { epoch: String(epoch) }) };
  const credential = keyCredentials.issue(name, principal.cacheKey);
  return `${uri}\n${uri}?key_credential=${credential}\n${randomBytes(ivBytes).toString('hex')}\n`;
}

/**
 * The epoch that an encoder should use: the one that it names or, by the clock of the content, the current one. A refused epoch is
 * refused here too, because an encoder reads its key at once.
 *
 * @returns undefined for the key without an epoch
 * @throws AppError EPOCH_NOT_FOUND, EPOCH_NOT_YET, EPOCH_PAST
 */
function chooseEpoch(
  periods: KeyPeriods | null,
  wanted: number | undefined,
  now: number,
): number | undefined {
  if (periods === null) return wanted;
  if (wanted === undefined && periods.mode === 'clock') {
    const currentEpoch = currentEpochOf(periods, now);
    if (currentEpoch < 0)
      throw toRefusalError({ code: 'EPOCH_NOT_YET', notYet: { currentEpoch, opensAt: periods.origin } }, now);
    if (currentEpoch > maxEpoch) throw new AppError('EPOCH_NOT_FOUND');
    return currentEpoch;
  }
  const refusal = findEpochRefusal(periods, wanted, now);
  if (refusal) throw toRefusalError(refusal, now);
  return wanted;
}
