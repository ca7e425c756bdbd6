import {
  ContentAnswerSchema,
  type ContentBatchReader,
  type ContentReader,
  FingerprintsSchema,
  KeyVersionComparisonSchema,
  type KeyVersionRegistry,
} from '@latchkey/shared/contracts';
import type { App } from '@latchkey/shared/http';
import { addBatchRoute, contentBatch } from '@latchkey/shared/internal';
import { Type } from '@latchkey/shared/schema';

/** The internal routes of the content service, which need `INTERNAL_SECRET`. */
export function addContentInternalRoutes(
  app: App,
  reader: ContentReader & ContentBatchReader,
  keyVersions: KeyVersionRegistry,
): void {
  addBatchRoute(app, contentBatch, { readMany: (contentIds) => reader.findContents(contentIds) });
  app.get(
    '/internal/contents/:contentId',
    {
      config: { access: 'internal' },
      schema: {
        hide: true,
        params: Type.Object({ contentId: Type.String() }),
        response: { 200: ContentAnswerSchema },
      },
    },
    async (request) => ({ content: await reader.findContent(request.params.contentId) }),
  );
  app.post(
    '/internal/key-versions',
    {
      config: { access: 'internal' },
      schema: {
        hide: true,
        body: FingerprintsSchema,
        response: { 200: KeyVersionComparisonSchema },
      },
    },
    async (request) => {
      const fingerprints = new Map(
        Object.entries(request.body.fingerprints).map(([version, print]) => [Number(version), print]),
      );
      return keyVersions.compare(fingerprints);
    },
  );
}
