import { NameSchema, nullableType } from '@latchkey/shared/http';
import { Type } from '@latchkey/shared/schema';
import { InstantSchema } from '../api-key-schema.ts';
import { deliveryStates } from './webhook.ts';
import { webhookEvents } from './webhook-events.ts';

const NullableInstant = nullableType<string>({ type: 'string', format: 'date-time' });
const StatusSchema = Type.Union([Type.Literal('active'), Type.Literal('paused')]);
const UrlSchema = Type.String({ description: 'Of an origin in WEBHOOK_ORIGINS.' });
/** With the type, ajv compares them by a table. Without it each one with all others: 3 s for a body of 64 KiB. */
const EventSchema = Type.Enum([...webhookEvents], { type: 'string' });
const EventsSchema = Type.Array(EventSchema, {
  minItems: 1,
  maxItems: webhookEvents.length,
  uniqueItems: true,
});

export const WebhookSchema = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    url: Type.String(),
    events: Type.Array(Type.String()),
    status: StatusSchema,
    pausedBy: nullableType<'admin' | 'receiver'>({
      type: 'string',
      description: '`receiver` if it answered 410; null while active.',
    }),
    previousSecretUntil: {
      ...NullableInstant,
      description: 'Until then the secret from before the last rotation signs too.',
    } as typeof NullableInstant,
    pending: Type.Integer({ description: 'Deliveries that wait.' }),
    dropped: Type.Integer({ description: 'Events that were dropped because 10,000 waited.' }),
    createdAt: InstantSchema,
    updatedAt: InstantSchema,
  },
  { title: 'Webhook' },
);

export const SecretSchema = Type.String({
  pattern: '^whsec_[A-Za-z0-9+/]{43}=$',
  description: 'Shown this once.',
});

export const DeliverySchema = Type.Object(
  {
    id: Type.String({ description: 'The `webhook-id` of the message.' }),
    type: Type.String(),
    state: Type.Enum([...deliveryStates]),
    tries: Type.Integer(),
    createdAt: InstantSchema,
    lastTryAt: NullableInstant,
    nextTryAt: NullableInstant,
    endedAt: NullableInstant,
    lastStatus: nullableType<number>({ type: 'integer', description: 'The status of the last answer.' }),
    lastError: nullableType<string>({ type: 'string', description: 'Why the last try failed.' }),
    payload: Type.Object({}, { additionalProperties: true, description: 'The body of the message.' }),
  },
  { title: 'WebhookDelivery' },
);

export const NewWebhookSchema = Type.Object(
  { name: NameSchema, url: UrlSchema, events: EventsSchema },
  { additionalProperties: false },
);

export const WebhookChangesSchema = Type.Object(
  {
    name: Type.Optional(NameSchema),
    url: Type.Optional(UrlSchema),
    events: Type.Optional(EventsSchema),
    status: Type.Optional(StatusSchema),
  },
  { additionalProperties: false, minProperties: 1 },
);

/** Any text: an id that is not a UUID gets 404, not 400. */
export const WebhookParamsSchema = Type.Object({ id: Type.String({ description: 'UUID of the webhook.' }) });
export const DeliveryParamsSchema = Type.Object({
  id: Type.String({ description: 'UUID of the webhook.' }),
  deliveryId: Type.String({ description: 'The id of the delivery.' }),
});
