import type { RefusalLog } from '@latchkey/shared/audit';
import {
  ImportedKeyAnswerSchema,
  type ImportedKeyBatchReader,
  type ImportedKeyReader,
  type ImportedKeyStore,
} from '@latchkey/shared/contracts';
import { AppError } from '@latchkey/shared/errors';
import type { App } from '@latchkey/shared/http';
import { addBatchRoute, importedKeyBatch, importedKeyRoutes, refusalRoute } from '@latchkey/shared/internal';
import { Type } from 'typebox';

const config = { access: 'internal' } as const;

/** The internal routes by which key-derivation reads and stores imported keys, and has its refusals of that audited. */
export function addImportedKeyRoutes(
  app: App,
  reader: ImportedKeyReader & ImportedKeyBatchReader,
  store: ImportedKeyStore,
  refusals: RefusalLog,
): void {
  addBatchRoute(app, importedKeyBatch, { readMany: (names) => reader.findImportedKeys(names) });
  app.get(
    importedKeyRoutes.find.path,
    {
      config,
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
  const { change, export: exported } = importedKeyRoutes;
  app.post(
    change.path,
    { config, schema: { hide: true, body: change.BodySchema, response: { 200: change.AnswerSchema } } },
    async ({ body }) => {
      try {
        await store.changeKey(body.change, body.facts);
        return { stored: true };
      } catch (error) {
        if (error instanceof AppError && error.code === 'CONTENT_NOT_FOUND') return { stored: false };
        throw error;
      }
    },
  );
  app.post(
    exported.path,
    { config, schema: { hide: true, body: exported.BodySchema, response: { 200: exported.AnswerSchema } } },
    async ({ body: { contentId, range, facts } }) => ({
      keys: await store.exportKeys(contentId, range, facts),
    }),
  );
  app.post(
    refusalRoute.path,
    { config, schema: { hide: true, body: refusalRoute.BodySchema, response: { 200: Type.Object({}) } } },
    async ({ body }) => {
      await refusals.record(body.entry);
      return {};
    },
  );
}
