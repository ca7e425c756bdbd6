import swagger from '@fastify/swagger';
import type { App } from './routes.ts';

/** `GET /openapi.json`, made from the schemas that validate. To be called before the routes are added. */
export async function addOpenApi(
  app: App,
  facts: { version: string; publicUrl: string | null },
): Promise<void> {
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
    transform: ({ schema, url, route }) => {
      const access = route.config?.access;
      const secured = access !== undefined && access !== 'open';
      return { url, schema: { ...schema, ...(secured ? { security: [{ credential: [] }] } : {}) } };
    },
  });
  app.get('/openapi.json', { config: { access: 'open' }, schema: { hide: true } }, (_request, reply) =>
    reply.send(app.swagger()),
  );
}
