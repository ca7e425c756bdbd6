import swagger from '@fastify/swagger';
import { problems } from '../errors/errors.ts';
import type { App } from './routes.ts';

interface OpenApiFacts {
  version: string;
  publicUrl: string | null;
  /** The documents of services in other processes. Their paths are added to those of this process. */
  others?: () => Promise<{ paths?: Record<string, unknown> }[]>;
}

/** `GET /openapi.json`, made from the schemas that validate. Call it before the routes are added. */
export async function addOpenApi(app: App, facts: OpenApiFacts): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Latchkey',
        version: facts.version,
        description: 'Key server for AES-128 encrypted HLS video. Errors are RFC 9457 problem details.',
      },
      servers: [{ url: facts.publicUrl ?? '/' }],
      components: {
        securitySchemes: {
          credential: {
            type: 'http',
            scheme: 'bearer',
            description: 'An API key (lk_…) or a viewer token (JWT).',
          },
        },
      },
    },
    transformObject: (document) => {
      const described = 'openapiObject' in document ? document.openapiObject : {};
      markOptionalBodies(described as { paths?: Record<string, Record<string, Operation>> });
      return described;
    },
    transform: ({ schema, url, route }) => {
      const access = route.config?.access;
      const secured = access !== undefined && access !== 'open';
      const security = secured ? { security: [{ credential: [] }] } : {};
      // The host refuses a body that is too large or not JSON before the route sees it, so every route with a body lists
      // these answers.
      const refused = schema?.body ? problems('PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE') : {};
      const response = { ...refused, ...(schema?.response as object | undefined) };
      return { url, schema: { ...schema, ...security, response } };
    },
  });
  app.get(
    '/openapi.json',
    { config: { access: 'open', waitsForNothing: true }, schema: { hide: true } },
    async () => {
      const own = app.swagger();
      const others = await facts.others?.();
      // A path in both documents, such as health, is described by the process that answers it.
      return others
        ? { ...own, paths: Object.assign({}, ...others.map(({ paths }) => paths), own.paths) }
        : own;
    },
  );
}

interface Operation {
  requestBody?: {
    required?: boolean;
    content: Record<string, { schema?: { required?: string[]; minProperties?: number } }>;
  };
}

/** The generator marks every body as required; one without required members may be left out altogether. */
function markOptionalBodies({ paths = {} }: { paths?: Record<string, Record<string, Operation>> }): void {
  for (const { requestBody } of Object.values(paths).flatMap((path) => Object.values(path))) {
    const schema = requestBody?.content['application/json']?.schema;
    if (requestBody && schema && !schema.required?.length && !schema.minProperties)
      requestBody.required = false;
  }
}
