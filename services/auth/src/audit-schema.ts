import { readInstant } from '@latchkey/shared/http';
import { redact } from '@latchkey/shared/log';
import { type Static, Type } from 'typebox';
import { InstantSchema } from './api-key-schema.ts';
import type { AuditFilter } from './audit-store.ts';

const NullableTextSchema = Type.Unsafe<string | null>({ type: ['string', 'null'] });

export const AuditSchema = Type.Object({
  id: Type.String(),
  at: InstantSchema,
  actor: Type.Object({ kind: Type.String(), id: NullableTextSchema }),
  action: Type.String(),
  target: NullableTextSchema,
  clientIp: NullableTextSchema,
  requestId: NullableTextSchema,
  outcome: Type.String({ description: '`done` or `refused`.' }),
  code: NullableTextSchema,
  affected: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description:
      'How many leases a revocation by viewer or content revoked. Null for other acts, and until the last of many is written.',
  }),
  count: Type.Integer({
    minimum: 1,
    description:
      'How many refusals the record stands for; 1 for everything that was done. Refusals without a valid credential are counted: one ' +
      'record a minute for an address (a /64 of IPv6) and action, with the target, request and code of the first. So are those of an API ' +
      'key or viewer beyond 1,000 at once and 10 a minute. A process that counts more than 60 addresses or actors in a minute puts the ' +
      'rest of an action into one record without them. The number may be a second late.',
  }),
});

// Postgres stores no NUL in a text, so no row has one.
const named = (description: string) =>
  Type.String({ pattern: '^[^\\u0000]+$', maxLength: 2_048, description });
const instant = (description: string) =>
  Type.String({ description: `${description} ISO 8601 with its offset, such as 2027-01-31T12:00:00Z.` });

/** What the list and the export of the audit are filtered by. */
export const auditFilterSchemas = {
  action: Type.Optional(Type.String({ pattern: '^[a-z.-]{1,64}$', description: 'Such as api-key.create.' })),
  actor: Type.Optional(
    named('The id of an actor (an API key, a viewer), or a kind of actors (such as bootstrap-key).'),
  ),
  outcome: Type.Optional(Type.Enum(['done', 'refused'])),
  target: Type.Optional(named('What it was done to, in full and as the audit shows it.')),
  from: Type.Optional(instant('At this time or later.')),
  to: Type.Optional(instant('Before this time.')),
};

const AuditFilterSchema = Type.Object(auditFilterSchemas);

/**
 * Hides credentials in the filter as the audit hides them: otherwise a search for a raw key would find no row.
 *
 * @throws AppError VALIDATION_FAILED for a time that cannot be read
 */
export function readAuditFilter(query: Static<typeof AuditFilterSchema>): AuditFilter {
  const { action, actor, outcome, target, from, to } = query;
  return {
    action,
    actor: actor === undefined ? undefined : redact(actor),
    outcome,
    target: target === undefined ? undefined : redact(target),
    from: from === undefined ? undefined : readInstant(from, '/from'),
    to: to === undefined ? undefined : readInstant(to, '/to'),
  };
}
