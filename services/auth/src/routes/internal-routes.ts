import {
  type Alert,
  AlertsSchema,
  ApiKeyAnswerSchema,
  DatabaseSizeSchema,
  UsesSchema,
} from '@latchkey/shared/contracts';
import { readDatabaseSize } from '@latchkey/shared/db';
import { problems } from '@latchkey/shared/errors';
import type { App } from '@latchkey/shared/http';
import { addBatchRoute, apiKeyBatch } from '@latchkey/shared/internal';
import { Type } from '@latchkey/shared/schema';
import { ConfigurationWarningSchema, StatisticsQuerySchema } from '@latchkey/shared/statistics';
import type { OwnedApiKeyVerifier } from '../api-key-verifier.ts';
import type { AuthRouteOptions } from '../auth-route-options.ts';
import { readStoredWarnings } from '../stored-warnings.ts';

/**
 * `GET /api/v1/statistics`, as the gateway calls it with the caller's credential before it gathers the figures. It authorizes the
 * caller and returns the warnings about stored rows. The gateway documents the route, because its own answer differs.
 */
export function addAuthorizeStatisticsRoute(app: App, { db, setup }: AuthRouteOptions): void {
  app.get(
    '/api/v1/statistics',
    {
      config: { access: 'manage', contents: 'whole-server', action: 'statistics.read', limit: 'api' },
      schema: {
        hide: true,
        querystring: StatisticsQuerySchema,
        response: {
          200: Type.Object({
            warnings: Type.Array(ConfigurationWarningSchema),
            database: Type.Optional(DatabaseSizeSchema),
          }),
          ...problems('VALIDATION_FAILED', 'UNAUTHENTICATED', 'INVALID_API_KEY', 'INSUFFICIENT_SCOPE'),
        },
      },
    },
    async ({ query: { settings = false } }) => ({
      warnings: await readStoredWarnings(db, setup),
      ...(settings && { database: await readDatabaseSize(db) }),
    }),
  );
}

/** The internal routes of the auth service (`ApiKeyVerifier`), which need `INTERNAL_SECRET`. */
export function addAuthInternalRoutes(app: App, verifier: OwnedApiKeyVerifier): void {
  addBatchRoute(app, apiKeyBatch, { readMany: (asked) => verifier.findApiKeys(asked) });
  app.get(
    '/internal/api-keys/:keyHash',
    {
      config: { access: 'internal' },
      schema: {
        hide: true,
        params: Type.Object({ keyHash: Type.String({ pattern: '^[0-9a-f]{64}$' }) }),
        querystring: Type.Object({ wellFormed: Type.Boolean() }),
        response: { 200: ApiKeyAnswerSchema },
      },
    },
    async (request) => ({
      apiKey: await verifier.findApiKey(request.params.keyHash, request.query.wellFormed),
    }),
  );
  app.post(
    '/internal/api-keys/uses',
    {
      config: { access: 'internal' },
      schema: {
        hide: true,
        body: UsesSchema,
        response: { 200: Type.Object({}) },
      },
    },
    async (request) => {
      for (const [id, usedAt] of Object.entries(request.body.uses)) verifier.noteUse(id, usedAt);
      return {};
    },
  );
}

/** `POST /internal/alerts`: a gateway reports the problems that it knows. Those about stored rows are added here. */
export function addAlertsRoute(app: App, note: (alerts: readonly Alert[]) => Promise<void>): void {
  app.post(
    '/internal/alerts',
    {
      config: { access: 'internal' },
      schema: { hide: true, body: AlertsSchema, response: { 200: Type.Object({}) } },
    },
    async (request) => {
      await note(request.body.alerts);
      return {};
    },
  );
}
