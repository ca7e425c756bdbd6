import type { ContentReader, KeyVersionRegistry } from '@latchkey/shared/contracts';
import type { App } from '@latchkey/shared/http';
import { Type } from 'typebox';

const ContentStateSchema = Type.Object({ status: Type.String(), keyVersion: Type.Integer() });

/** What neighbours ask of the content service, behind the secret that they share. */
export function addContentInternalRoutes(
  app: App,
  reader: ContentReader,
  keyVersions: KeyVersionRegistry,
): void {
  app.get(
    '/internal/contents/:contentId',
    {
      config: { access: 'open' },
      schema: {
        hide: true,
        params: Type.Object({ contentId: Type.String() }),
        response: { 200: Type.Object({ content: Type.Union([ContentStateSchema, Type.Null()]) }) },
      },
    },
    async (request) => ({ content: await reader.findContent(request.params.contentId) }),
  );
  app.post(
    '/internal/key-versions',
    {
      config: { access: 'open' },
      schema: {
        hide: true,
        body: Type.Object({
          fingerprints: Type.Record(
            Type.String({ pattern: '^[1-9][0-9]{0,2}$' }),
            Type.String({ pattern: '^[0-9a-f]{16}$' }),
          ),
        }),
        response: {
          200: Type.Object({ differing: Type.Array(Type.Integer()), missing: Type.Array(Type.Integer()) }),
        },
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
