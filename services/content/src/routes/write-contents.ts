import { assertContentExists, scopesOf } from '@latchkey/shared/auth';
import { isContentId, isEntitled, keyEndpointOf, type Scope } from '@latchkey/shared/contracts';
import { AppError, problems } from '@latchkey/shared/errors';
import {
  type App,
  type AuditFacts,
  auditFacts,
  NameSchema,
  readName,
  validationFailure,
  WaitQuerySchema,
  waitIfAsked,
} from '@latchkey/shared/http';
import { Type } from '@latchkey/shared/schema';
import { compareContents } from '../compare-contents.ts';
import {
  type Content,
  type ContentFields,
  readManifestKey,
  readMetadata,
  readPlaylistUrl,
} from '../content.ts';
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
import { findContentToChange, insertContent, newestKeyVersion, updateContent } from '../content-store.ts';
import { isTightening } from '../is-tightening.ts';
import { type KeyPeriodsMembers, readKeyPeriods } from '../key-periods.ts';
import type { Ledger, LedgerEntry, RouteOptions, Transaction } from '../own-tables.ts';
import { findRegistrant } from '../registrant-store.ts';

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

/**
 * Registers a content, or updates the given members if the id is known. Registering again changes neither the key version nor the
 * status: a disabled content stays disabled.
 *
 * @throws AppError CONTENT_EXISTS if the id is known and only a new content is wanted, INSUFFICIENT_SCOPE as `assertMayRegisterAgain`
 */
function registerContent(
  ledger: Ledger,
  { id, isNewOnly, scope }: { id: string; isNewOnly: boolean; scope: Scope | null },
  registration: Registration,
  facts: AuditFacts,
): Promise<{ content: Content; created: boolean }> {
  return ledger.write(async (entry) => {
    const { tx, now } = entry;
    const keyVersion = await newestKeyVersion(tx);
    const content = { ...emptyContent, ...registration, id, keyVersion, createdAt: now };
    const inserted = await insertContent(tx, content, scope);
    // Decided by the insert itself: of two simultaneous registrations, one finds the other.
    if (!inserted && isNewOnly) throw new AppError('CONTENT_EXISTS');
    const before = inserted ? null : await findContentToChange(tx, id);
    if (before && scope === 'packager') await assertMayRegisterAgain(tx, before, registration);
    const after = inserted ?? (await updateContent(tx, id, registration, now));
    // A content is never deleted, so the insert or the update found it.
    if (!after) throw new Error('a content vanished while it was registered');
    const created = inserted !== null;
    await announceContent(entry, { before, after }, created ? 'created' : 'updated', facts);
    return { content: after, created };
  });
}

const emptyContent = {
  status: 'active',
  keyPeriods: null,
  sizeBytes: null,
  manifestKey: null,
  playlistUrl: null,
  metadata: {},
} as const;

type Registration = Pick<ContentFields, 'name'> & Partial<Omit<ContentFields, 'status'>>;

/**
 * A packager states the key periods and the playlist of its own contents. The key periods of other contents bound what viewers get, so it may only
 * tighten them (`docs/reference/contract.md#scopes`). The values that the content has already are no change: encoders register at each start.
 *
 * @throws AppError INSUFFICIENT_SCOPE
 */
async function assertMayRegisterAgain(
  tx: Transaction,
  before: Content,
  { keyPeriods = before.keyPeriods, playlistUrl = before.playlistUrl }: Registration,
): Promise<void> {
  const isTight = isTightening(before.keyPeriods, keyPeriods);
  if (isTight && playlistUrl === before.playlistUrl) return;
  if ((await findRegistrant(tx, before.id)) === 'packager') return;
  const may = isTight ? 'not change its playlistUrl' : 'only tighten its keyPeriods';
  const scope = scopesOf('manage');
  const detail = `No API key with the scope packager registered this content, so such a key may ${may}. That needs one of the scopes: ${scope}.`;
  throw new AppError('INSUFFICIENT_SCOPE', { detail, members: { scope } });
}

/** @throws AppError CONTENT_NOT_FOUND */
function changeContent(
  ledger: Ledger,
  id: string,
  fields: Partial<ContentFields>,
  facts: AuditFacts,
): Promise<Content> {
  return ledger.write(async (entry) => {
    const before = await findContentToChange(entry.tx, id);
    const content = await updateContent(entry.tx, id, fields, entry.now);
    if (!content) throw new AppError('CONTENT_NOT_FOUND');
    await announceContent(entry, { before, after: content }, 'updated', facts);
    return content;
  });
}

/**
 * Stops serving a content's keys until it is active again. A second call changes nothing, but is audited and announced again, for
 * callers that want to be sure.
 *
 * @throws AppError CONTENT_NOT_FOUND
 */
function disableContent(ledger: Ledger, id: string, facts: AuditFacts): Promise<Content> {
  return ledger.write(async (entry) => {
    const { tx, now } = entry;
    const found = await findContentToChange(tx, id);
    const content =
      found?.status === 'disabled' ? found : await updateContent(tx, id, { status: 'disabled' }, now);
    if (!content) throw new AppError('CONTENT_NOT_FOUND');
    await announceContent(entry, { before: found, after: content }, 'disabled', facts);
    return content;
  });
}

const actions = {
  created: 'content.create',
  updated: 'content.update',
  disabled: 'content.disable',
} as const;

/** Writes the audit row, the change for every cache that has the content, and the notice for the dashboard. */
async function announceContent(
  entry: LedgerEntry,
  { before, after }: { before: Content | null; after: Content },
  event: keyof typeof actions,
  facts: AuditFacts,
): Promise<void> {
  await entry.change({ kind: 'content', contentId: after.id });
  await entry.audit({
    ...{ ...facts, action: actions[event], target: after.id, outcome: 'done', code: null },
    details: { changes: compareContents(before, after) },
  });
  entry.notice({ topic: 'content', event, data: toContentAnswer(after) });
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
