import { problems } from '@latchkey/shared/errors';
import {
  type App,
  auditFacts,
  listQuery,
  NextCursorSchema,
  nextCursor,
  readEmptyBody,
  readPage,
} from '@latchkey/shared/http';
import { Type } from '@latchkey/shared/schema';
import type { AuthRouteOptions } from '../auth-route-options.ts';
import {
  deliveryNotFound,
  deliveryStates,
  readWebhookId,
  toDelivery,
  webhookNotFound,
} from '../webhooks/webhook.ts';
import { replayDelivery, testWebhook } from '../webhooks/webhook-acts.ts';
import { DeliveryParamsSchema, DeliverySchema, WebhookParamsSchema } from '../webhooks/webhook-schema.ts';
import { findWebhook, listDeliveries } from '../webhooks/webhook-store.ts';

const path = '/api/v1/webhooks/:id';
const tags = ['Webhooks'];
const refusals = ['UNAUTHENTICATED', 'INVALID_API_KEY', 'INSUFFICIENT_SCOPE', 'WEBHOOK_NOT_FOUND'] as const;
/** As in the audit. */
const defaultLimit = 100;

const QuerySchema = Type.Object(
  { ...listQuery(defaultLimit), state: Type.Optional(Type.Enum([...deliveryStates])) },
  { additionalProperties: false },
);

/** `GET /api/v1/webhooks/:id/deliveries`. */
export function addListDeliveriesRoute(app: App, { db }: AuthRouteOptions): void {
  app.get(
    `${path}/deliveries`,
    {
      config: { access: 'manage', contents: 'whole-server', action: 'webhook.deliveries', limit: 'api' },
      schema: {
        tags,
        operationId: 'listWebhookDeliveries',
        summary: 'List the deliveries of a webhook, newest first',
        params: WebhookParamsSchema,
        querystring: QuerySchema,
        response: {
          200: Type.Object({ deliveries: Type.Array(DeliverySchema), next_cursor: NextCursorSchema }),
          ...problems('VALIDATION_FAILED', ...refusals),
        },
      },
    },
    async (request) => {
      const webhookId = readWebhookId(request.params.id);
      if (!(await findWebhook(db, webhookId))) throw webhookNotFound();
      const { limit, after } = readPage(request.query, defaultLimit);
      const { state } = request.query;
      const found = await listDeliveries(db, { webhookId, state }, { limit: limit + 1, after });
      const { rows, next } = nextCursor(found, limit, (row) => ({ at: row.created_at, id: row.id }));
      return { deliveries: rows.map(toDelivery), next_cursor: next };
    },
  );
}

const answer = { 202: Type.Object({ delivery: DeliverySchema }) };
const NoMembersSchema = Type.Object({}, { additionalProperties: false });

/** `POST /api/v1/webhooks/:id/test`, and a replay. Both are sent after the answer. */
export function addSendRoutes(app: App, options: AuthRouteOptions): void {
  app.post(
    `${path}/test`,
    {
      config: { access: 'manage', contents: 'whole-server', action: 'webhook.test', limit: 'api' },
      schema: {
        tags,
        operationId: 'testWebhook',
        summary: 'Send an event `webhook.test`',
        description:
          'At once, or when a paused webhook is resumed. The list of deliveries shows what came of it.',
        params: WebhookParamsSchema,
        body: NoMembersSchema,
        response: { ...answer, ...problems('VALIDATION_FAILED', ...refusals, 'WEBHOOKS_OFF') },
      },
      preValidation: readEmptyBody,
    },
    async (request, reply) => {
      const row = await testWebhook(options, readWebhookId(request.params.id), auditFacts(request));
      options.sendWebhooks();
      return reply.code(202).send({ delivery: toDelivery(row) });
    },
  );
  app.post(
    `${path}/deliveries/:deliveryId/replay`,
    {
      config: { access: 'manage', contents: 'whole-server', action: 'webhook.replay', limit: 'api' },
      schema: {
        tags,
        operationId: 'replayWebhookDelivery',
        summary: 'Send a delivery again, with the same id and body',
        params: DeliveryParamsSchema,
        body: NoMembersSchema,
        response: {
          ...answer,
          ...problems('VALIDATION_FAILED', ...refusals, 'DELIVERY_NOT_FOUND', 'WEBHOOKS_OFF'),
        },
      },
      preValidation: readEmptyBody,
    },
    async (request, reply) => {
      const { id, deliveryId } = request.params;
      const named = { id: readWebhookId(id), deliveryId };
      // Postgres refuses a statement with a NUL, which no id has.
      if (deliveryId.includes('\0')) throw deliveryNotFound();
      const row = await replayDelivery(options, named, auditFacts(request));
      options.sendWebhooks();
      return reply.code(202).send({ delivery: toDelivery(row) });
    },
  );
}
