import { assertContentExists } from '@latchkey/shared/auth';
import { isContentId, isEntitled, keyEndpointOf } from '@latchkey/shared/contracts';
import { AppError, problems } from '@latchkey/shared/errors';
import {
  type App,
  auditFacts,
  NameSchema,
  readName,
  validationFailure,
  WaitQuerySchema,
  waitIfAsked,
} from '@latchkey/shared/http';
import { Type } from '@latchkey/shared/schema';
import { type ContentFields, readManifestKey, readMetadata, readPlaylistUrl } from '../content.ts';
import { changeContent, disableContent, registerContent } from '../content-acts.ts';
import {
  AppliedContentAnswerSchema,
  ContentIdSchema,
  ContentParametersSchema,
  fieldSchemas,
  KeyedContentAnswerSchema,
  ofContent,
  StatusSchema,
  toContentAnswer,
} from '../content-schema.ts';
import { type KeyPeriodsMembers, readKeyPeriods } from '../key-periods.ts';
import type { RouteOptions } from '../own-tables.ts';

interface PlaylistRules {
  /** `PLAYLIST_ORIGINS` */
  playlistOrigins: readonly string[];
}

const registerSchema = {
  tags: ['Content'],
  operationId: 'registerContent',
  summary: 'Register a content, or update it if the id is known',
  description:
    'Registering again changes the given members, but neither keyVersion nor status. With `If-None-Match: *` a known id gets 412. ' +
    'Of a content that no API key with the scope packager registered, such a key may only tighten keyPeriods, and not change playlistUrl.',
  headers: Type.Object({
    'if-none-match': Type.Optional(
      Type.String({ description: '`*` registers a new content only (RFC 9110, section 13.1.2).' }),
    ),
  }),
  body: Type.Object(
    { name: NameSchema, id: Type.Optional(ContentIdSchema), ...fieldSchemas },
    { additionalProperties: false },
  ),
  response: {
    200: KeyedContentAnswerSchema,
    201: KeyedContentAnswerSchema,
    ...problems(
      'VALIDATION_FAILED',
      'UNAUTHENTICATED',
      'INVALID_API_KEY',
      'INSUFFICIENT_SCOPE',
      'CONTENT_NOT_FOUND',
      'CONTENT_EXISTS',
    ),
  },
};

/** `POST /api/v1/content` */
export function addRegisterContentRoute(
  app: App,
  {
    ledger,
    randomId,
    publicUrl,
    playlistOrigins,
  }: RouteOptions & PlaylistRules & { publicUrl: string | null },
): void {
  const config = {
    access: 'content:register',
    contents: 'narrowed',
    action: 'content.create',
    limit: 'api',
  } as const;
  app.post('/api/v1/content', { config, schema: registerSchema }, async (request, reply) => {
    const { id = randomId(), name, ...fields } = request.body;
    const { principal } = request;
    if (principal && request.body.id === undefined && !isEntitled(principal, id))
      throw validationFailure('/id', 'must be given: this API key is limited to some contents');
    if (principal) assertContentExists(principal, id);
    const registration = { ...readFields(fields, playlistOrigins), name: readName(name) };
    // Contents have no entity tags, so any other value names none of them and is always met.
    const isNewOnly = request.headers['if-none-match']?.trim() === '*';
    const scope = principal?.kind === 'api-key' ? principal.scope : null;
    const asked = { id, isNewOnly, scope };
    const { content, created } = await registerContent(ledger, asked, registration, auditFacts(request));
    return reply.code(created ? 201 : 200).send({
      content: toContentAnswer(content),
      key_endpoint: keyEndpointOf(publicUrl, content.id),
    });
  });
}

const changeRefusals = problems(
  'VALIDATION_FAILED',
  'UNAUTHENTICATED',
  'INVALID_API_KEY',
  'INSUFFICIENT_SCOPE',
  'CONTENT_NOT_FOUND',
);

const changeSchema = {
  tags: ['Content'],
  operationId: 'updateContent',
  summary: 'Change a content, or bring a disabled one back',
  params: ContentParametersSchema,
  querystring: WaitQuerySchema,
  body: Type.Object(
    { name: Type.Optional(NameSchema), status: Type.Optional(StatusSchema), ...fieldSchemas },
    { additionalProperties: false, minProperties: 1 },
  ),
  response: {
    200: AppliedContentAnswerSchema,
    ...changeRefusals,
  },
};

/** `PATCH /api/v1/content/:id` */
export function addChangeContentRoute(
  app: App,
  { ledger, playlistOrigins, waitUntilApplied }: RouteOptions & PlaylistRules,
): void {
  const config = { access: 'manage', contents: ofContent, action: 'content.update', limit: 'api' } as const;
  app.patch('/api/v1/content/:id', { config, schema: changeSchema }, async (request) => {
    const { id } = request.params;
    if (!isContentId(id)) throw new AppError('CONTENT_NOT_FOUND');
    const fields = readFields(request.body, playlistOrigins);
    const content = await changeContent(ledger, id, fields, auditFacts(request));
    if (fields.status !== undefined) request.revocation = { contentId: id, contentStatus: content.status };
    const waited = await waitIfAsked(request.query, { waitUntilApplied });
    return { content: toContentAnswer(content), ...waited };
  });
}

const disableSchema = {
  tags: ['Content'],
  operationId: 'disableContent',
  summary: 'Disable a content: its keys are no longer served',
  params: ContentParametersSchema,
  querystring: WaitQuerySchema,
  response: {
    200: AppliedContentAnswerSchema,
    ...changeRefusals,
  },
};

/** `DELETE /api/v1/content/:id` */
export function addDisableContentRoute(app: App, { ledger, waitUntilApplied }: RouteOptions): void {
  const config = { access: 'manage', contents: ofContent, action: 'content.disable', limit: 'api' } as const;
  app.delete('/api/v1/content/:id', { config, schema: disableSchema }, async (request) => {
    const { id } = request.params;
    if (!isContentId(id)) throw new AppError('CONTENT_NOT_FOUND');
    const content = await disableContent(ledger, id, auditFacts(request));
    request.revocation = { contentId: id, contentStatus: 'disabled' };
    const waited = await waitIfAsked(request.query, { waitUntilApplied });
    return { content: toContentAnswer(content), ...waited };
  });
}

/** The members of a body, as the API takes them. */
type ContentMembers = Partial<Omit<ContentFields, 'keyPeriods'> & { keyPeriods: KeyPeriodsMembers | null }>;

/**
 * The members that a body has, in the form in which they are stored.
 *
 * @throws AppError VALIDATION_FAILED for what a schema cannot check
 */
function readFields(
  { name, keyPeriods, manifestKey, playlistUrl, metadata, ...plain }: ContentMembers,
  playlistOrigins: readonly string[],
): Partial<ContentFields> {
  return {
    ...plain,
    ...(keyPeriods === undefined ? {} : { keyPeriods: readKeyPeriods(keyPeriods) }),
    ...(name === undefined ? {} : { name: readName(name) }),
    ...(manifestKey === undefined
      ? {}
      : { manifestKey: manifestKey === null ? null : readManifestKey(manifestKey) }),
    ...(playlistUrl === undefined
      ? {}
      : { playlistUrl: playlistUrl === null ? null : readPlaylistUrl(playlistUrl, playlistOrigins) }),
    ...(metadata === undefined ? {} : { metadata: readMetadata(metadata) }),
  };
}
