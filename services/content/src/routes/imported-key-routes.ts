import type { RefusalLog } from '@latchkey/shared/audit';
import {
  ImportedKeyAnswerSchema,
  type ImportedKeyBatchReader,
  type ImportedKeyReader,
  type ImportedKeyStore,
} from '@latchkey/shared/contracts';
import { AppError } from '@latchkey/shared/errors';
import { type App, addGuard, addRefusalAudit, auditFacts, type GuardOptions } from '@latchkey/shared/http';
import { addBatchRoute, importedKeyBatch, importedKeyRoutes, refusalRoute } from '@latchkey/shared/internal';
import { Type } from '@latchkey/shared/schema';

const internal = { access: 'internal' } as const;

interface ImportedKeyRouteOptions {
  reader: ImportedKeyReader & ImportedKeyBatchReader;
  store: ImportedKeyStore;
  guard: GuardOptions;
  refusals: RefusalLog;
}

/** The internal routes by which key-derivation reads imported keys, and has its refusals audited. */
export async function addImportedKeyRoutes(app: App, options: ImportedKeyRouteOptions): Promise<void> {
  const { reader, refusals } = options;
  addBatchRoute(app, importedKeyBatch, { readMany: (names) => reader.findImportedKeys(names) });
  app.get(
    importedKeyRoutes.find.path,
    {
      config: internal,
      schema: {
        hide: true,
        querystring: Type.Object({ contentId: Type.String(), epoch: Type.Optional(Type.Integer()) }),
        response: { 200: ImportedKeyAnswerSchema },
      },
    },
    async ({ query: { contentId, epoch = null } }) => ({
      wrappedKey: await reader.findImportedKey({ contentId, epoch }),
    }),
  );
  app.post(
    refusalRoute.path,
    {
      config: internal,
      schema: { hide: true, body: refusalRoute.BodySchema, response: { 200: Type.Object({}) } },
    },
    async ({ body }) => {
      await refusals.record(body.entry);
      return {};
    },
  );
  await app.register(async (scope) => addActRoutes(scope, options));
}

/**
 * The routes by which key-derivation passes acts of clients on. The credential of the client is checked here again: the secret of a process
 * vouches for no one.
 */
function addActRoutes(app: App, { store, guard, refusals }: ImportedKeyRouteOptions): void {
  // Key-derivation has counted the request.
  addGuard(app, { ...guard, limiter: null });
  addRefusalAudit(app, refusals);
  const { change, export: exported } = importedKeyRoutes;
  app.post(
    change.path,
    {
      config: {
        access: 'manage',
        contents: { in: 'body', member: 'contentId' },
        action: 'content.import-key',
      },
      schema: { hide: true, body: change.BodySchema, response: { 200: change.AnswerSchema } },
    },
    async (request) => {
      try {
        await store.changeKey(request.body, { facts: auditFacts(request), authorization: '' });
        return { stored: true };
      } catch (error) {
        if (error instanceof AppError && error.code === 'CONTENT_NOT_FOUND') return { stored: false };
        throw error;
      }
    },
  );
  app.post(
    exported.path,
    {
      config: {
        access: 'manage',
        contents: { in: 'body', member: 'contentId' },
        action: 'content.export-keys',
      },
      schema: { hide: true, body: exported.BodySchema, response: { 200: exported.AnswerSchema } },
    },
    async (request) => ({
      keys: await store.exportKeys(request.body.contentId, request.body.range, {
        facts: auditFacts(request),
        authorization: '',
      }),
    }),
  );
}
