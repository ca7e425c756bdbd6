import { scopes } from '@latchkey/shared/contracts';
import { Type } from 'typebox';

/** ISO 8601, UTC, milliseconds. */
export const InstantSchema = Type.String({ format: 'date-time' });
const NullableInstantSchema = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  format: 'date-time',
});

export const ScopeSchema = Type.Enum([...scopes]);

const fields = {
  id: Type.String({ format: 'uuid' }),
  name: Type.String(),
  keyPrefix: Type.String({ description: 'The first 11 characters of the raw key.' }),
  scope: ScopeSchema,
  expiresAt: NullableInstantSchema,
  revokedAt: NullableInstantSchema,
  createdAt: InstantSchema,
};

/** An API key as `docs/contract.md#api-keys` shows it. */
export const ApiKeySchema = Type.Object({ ...fields, lastUsedAt: NullableInstantSchema });
/** A key that was created this moment was not used yet. */
export const NewApiKeySchema = Type.Object(fields);
/** Who asks: a stored key in full; of the bootstrap key there is only a scope, a name and no id. */
export const CurrentApiKeySchema = Type.Object({
  ...Type.Partial(ApiKeySchema).properties,
  id: Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'uuid' }),
  name: Type.String(),
  scope: ScopeSchema,
});

export const RawKeySchema = Type.String({
  pattern: '^lk_[0-9a-f]{64}$',
  description: 'Shown this once; only its hash is stored.',
});
/** Any text: what is no UUID names no key, which is a 404 and no 400. */
export const ApiKeyParamsSchema = Type.Object({ id: Type.String({ description: 'UUID of the key.' }) });
