import { ContentPatternSchema, scopes } from '@latchkey/shared/contracts';
import { Type } from '@latchkey/shared/schema';
import type { ApiKeyMetadata } from './api-key.ts';

/** ISO 8601, UTC, milliseconds. */
export const InstantSchema = Type.String({ format: 'date-time' });
const NullableInstantSchema = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  format: 'date-time',
});

export const ScopeSchema = Type.Enum([...scopes], { title: 'Scope' });

export const ExpirySchema = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  description: 'ISO 8601, in the future. Null: the key does not expire.',
});

/** As many facts as a team keeps of a key. All of them take 16 KB at most, as the metadata of a content. */
const maxMetadataTexts = 20;
/** As long as a name. */
const maxMetadataLength = 200;
export const MetadataSchema = Type.Unsafe<ApiKeyMetadata>({
  type: 'object',
  maxProperties: maxMetadataTexts,
  propertyNames: { pattern: '^[A-Za-z][A-Za-z0-9_.-]{0,39}$' },
  additionalProperties: {
    type: 'string',
    maxLength: maxMetadataLength,
    // Without control characters and lone surrogates, which not every database can store.
    pattern: '^[^\\p{Cc}\\p{Cs}]*$',
  },
  description: `Your own data: up to ${maxMetadataTexts} texts of ${maxMetadataLength} characters. A name has 1 to 40 letters, digits and \`_.-\`, a letter first.`,
});

/** As many as a tenant names by hand. A prefix names any number. */
const maxContents = 50;
const patterns = {
  type: ['array', 'null'],
  items: ContentPatternSchema,
  maxItems: maxContents,
  description: `Ids of contents, or prefixes such as \`acme-*\`: no other contents exist for the key. Null: all contents.`,
};
export const ContentsSchema = Type.Unsafe<string[] | null>({ ...patterns, minItems: 1 });

const fields = {
  id: Type.String({ format: 'uuid' }),
  name: Type.String(),
  keyPrefix: Type.String({ description: 'The first 11 characters of the raw key.' }),
  scope: ScopeSchema,
  contents: Type.Unsafe<readonly string[] | null>(patterns),
  expiresAt: NullableInstantSchema,
  revokedAt: NullableInstantSchema,
  createdAt: InstantSchema,
  metadata: MetadataSchema,
};

/** An API key as `docs/reference/contract.md#api-keys` shows it. */
export const ApiKeySchema = Type.Object(
  { ...fields, lastUsedAt: NullableInstantSchema },
  { title: 'ApiKey' },
);
/** A key that was just created was not used yet. */
export const NewApiKeySchema = Type.Object(fields, { title: 'NewApiKey' });
/** The key of the caller. The bootstrap key has only a scope and a name, and its id is null. */
export const CurrentApiKeySchema = Type.Object(
  {
    ...Type.Partial(ApiKeySchema).properties,
    id: Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'uuid' }),
    name: Type.String(),
    scope: ScopeSchema,
  },
  { title: 'CurrentApiKey' },
);

export const RawKeySchema = Type.String({
  pattern: '^lk_[0-9a-f]{64}$',
  description: 'Shown this once; only its hash is stored.',
});
/** Any text: an id that is not a UUID gets 404, not 400. */
export const ApiKeyParamsSchema = Type.Object({ id: Type.String({ description: 'UUID of the key.' }) });

/** The refusals of every route that manages one API key. */
export const apiKeyRefusals = [
  'UNAUTHENTICATED',
  'INVALID_API_KEY',
  'INSUFFICIENT_SCOPE',
  'API_KEY_NOT_FOUND',
] as const;
