import { problems } from '@latchkey/shared/errors';
import { type App, auditFacts, nullableType, readEmptyBody } from '@latchkey/shared/http';
import { createAnswerOnce, idempotencyKeyHeader } from '@latchkey/shared/idempotency';
import { Type } from '@latchkey/shared/schema';
import type { AuthRouteOptions } from '../auth-route-options.ts';
import { readWebhookId, toWebhook, type WebhookRow, webhookNotFound } from '../webhooks/webhook.ts';
import {
  changeWebhook,
  createWebhook,
  removeWebhook,
  rotateWebhookSecret,
} from '../webhooks/webhook-acts.ts';
import {
  NewWebhookSchema,
  SecretSchema,
  WebhookChangesSchema,
  WebhookParamsSchema,
  WebhookSchema,
} from '../webhooks/webhook-schema.ts';
import { countAllPending, countPending, findWebhook, listWebhooks } from '../webhooks/webhook-store.ts';

const path = '/api/v1/webhooks';
const onePath = `${path}/:id`;
const tags = ['Webhooks'];
const managed = ['UNAUTHENTICATED', 'INVALID_API_KEY', 'INSUFFICIENT_SCOPE'] as const;

/** Null in the answer to a repeat, which is kept without it. */
const FirstSecretSchema = nullableType<string>({
  ...SecretSchema,
  description: 'Shown this once. Null in the answer to a repeat with the same Idempotency-Key.',
});

/** `GET` and `POST /api/v1/webhooks`. */
export function addWebhookListRoutes(app: App, options: AuthRouteOptions): void {
  app.get(
    path,
    {
      config: { access: 'manage', contents: 'whole-server', action: 'webhook.list', limit: 'api' },
      schema: {
        tags,
        operationId: 'listWebhooks',
        summary: 'List webhooks, oldest first',
        response: {
          200: Type.Object({
            webhooks: Type.Array(WebhookSchema),
            origins: Type.Array(Type.String(), {
              description: 'WEBHOOK_ORIGINS: none, and no webhook can be added.',
            }),
          }),
          ...problems(...managed),
        },
      },
    },
    async () => {
      const [rows, pending] = [await listWebhooks(options.db), await countAllPending(options.db)];
      return {
        webhooks: rows.map((row) => toWebhook(row, pending.get(row.id) ?? 0)),
        origins: [...options.webhookOrigins],
      };
    },
  );
  const answerOnce = createAnswerOnce(options, 'auth_idempotency_keys');
  app.post(
    path,
    {
      config: { access: 'manage', contents: 'whole-server', action: 'webhook.create', limit: 'api' },
      schema: {
        tags,
        operationId: 'createWebhook',
        summary: 'Add a webhook',
        description:
          'It gets what happens from now on. Only this answer has the secret. There are at most 20.',
        headers: idempotencyKeyHeader,
        body: NewWebhookSchema,
        response: {
          201: Type.Object({ webhook: WebhookSchema, secret: FirstSecretSchema }),
          ...problems(
            'VALIDATION_FAILED',
            ...managed,
            'WEBHOOKS_OFF',
            'WEBHOOK_LIMIT_REACHED',
            'IDEMPOTENCY_KEY_IN_USE',
            'IDEMPOTENCY_KEY_REUSED',
          ),
        },
      },
    },
    async (request, reply) =>
      answerOnce(request, reply, {
        act: (once) => createWebhook(options, request.body, auditFacts(request), once),
        answerOf: (row: WebhookRow) => ({
          status: 201,
          body: { webhook: toWebhook(row, 0), secret: row.secret },
        }),
        hideSecrets: (body) => ({ ...body, secret: null }),
      }),
  );
}

/** `GET`, `PATCH` and `DELETE /api/v1/webhooks/:id`, and its secret. */
export function addWebhookRoutes(app: App, options: AuthRouteOptions): void {
  const { db } = options;
  addGetWebhookRoute(app, options);
  app.patch(
    onePath,
    {
      config: { access: 'manage', contents: 'whole-server', action: 'webhook.update', limit: 'api' },
      schema: {
        tags,
        operationId: 'updateWebhook',
        summary: 'Change, pause or resume a webhook',
        description:
          'A paused webhook gets no events, and what waits for it is sent once it is resumed. What happened meanwhile is not sent.',
        params: WebhookParamsSchema,
        body: WebhookChangesSchema,
        response: {
          200: WebhookSchema,
          ...problems('VALIDATION_FAILED', ...managed, 'WEBHOOK_NOT_FOUND', 'WEBHOOKS_OFF'),
        },
      },
    },
    async (request) => {
      const id = readWebhookId(request.params.id);
      const row = await changeWebhook(options, id, request.body, auditFacts(request));
      return toWebhook(row, await countPending(db, id));
    },
  );
  app.delete(
    onePath,
    {
      config: { access: 'manage', contents: 'whole-server', action: 'webhook.delete', limit: 'api' },
      schema: {
        tags,
        operationId: 'deleteWebhook',
        summary: 'Delete a webhook and its deliveries',
        params: WebhookParamsSchema,
        response: {
          204: Type.Null({ description: 'It is deleted.' }),
          ...problems(...managed, 'WEBHOOK_NOT_FOUND'),
        },
      },
    },
    async (request, reply) => {
      await removeWebhook(options, readWebhookId(request.params.id), auditFacts(request));
      return reply.code(204).send(null);
    },
  );
  app.post(
    `${onePath}/rotate-secret`,
    {
      config: { access: 'manage', contents: 'whole-server', action: 'webhook.rotate-secret', limit: 'api' },
      schema: {
        tags,
        operationId: 'rotateWebhookSecret',
        summary: 'Replace the secret of a webhook',
        description: 'Messages of the next 24 hours carry a signature by each of the two secrets.',
        params: WebhookParamsSchema,
        body: Type.Object({}, { additionalProperties: false }),
        response: {
          200: Type.Object({ webhook: WebhookSchema, secret: SecretSchema }),
          ...problems('VALIDATION_FAILED', ...managed, 'WEBHOOK_NOT_FOUND'),
        },
      },
      preValidation: readEmptyBody,
    },
    async (request) => {
      const id = readWebhookId(request.params.id);
      const row = await rotateWebhookSecret(options, id, auditFacts(request));
      return { webhook: toWebhook(row, await countPending(db, id)), secret: row.secret };
    },
  );
}

function addGetWebhookRoute(app: App, { db }: AuthRouteOptions): void {
  app.get(
    onePath,
    {
      config: { access: 'manage', contents: 'whole-server', action: 'webhook.get', limit: 'api' },
      schema: {
        tags,
        operationId: 'getWebhook',
        summary: 'Get a webhook',
        params: WebhookParamsSchema,
        response: { 200: WebhookSchema, ...problems(...managed, 'WEBHOOK_NOT_FOUND') },
      },
    },
    async (request) => {
      const id = readWebhookId(request.params.id);
      const row = await findWebhook(db, id);
      if (!row) throw webhookNotFound();
      return toWebhook(row, await countPending(db, id));
    },
  );
}
