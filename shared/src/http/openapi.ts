import type { RouteOptions } from 'fastify';
import type { Clock } from '../clock/clock.ts';
import { problems } from '../errors/errors.ts';
import { createKeptDocument } from './kept-document.ts';
import type { App } from './routes.ts';

interface OpenApiFacts {
  version: string;
  publicUrl: string | null;
  /** The documents of services in other processes. Their paths are added to those of this process. */
  others?: (() => Promise<{ paths?: Record<string, unknown> }[]>) | undefined;
  clock: Clock;
}

/** Those whose body Fastify reads. */
const bodyMethods = ['POST', 'PUT', 'PATCH', 'DELETE'];

/** How long the documents of other processes are used: they change only with an upgrade. */
const othersLastMs = 60_000;

/** `GET /openapi.json`, made from the schemas that validate. Call it before the routes are added. */
export function addOpenApi(app: App, facts: OpenApiFacts): void {
  const routes: RouteOptions[] = [];
  app.addHook('onRoute', (route) => {
    // A gateway forwards methods that only it knows; those routes are hidden.
    if (route.method !== 'HEAD' && !route.schema?.hide) routes.push(route);
  });
  const { others } = facts;
  let own: OpenApiDocument | undefined;
  app.get(
    '/openapi.json',
    { config: { access: 'open', waitsForNothing: true }, schema: { hide: true } },
    createKeptDocument({
      nowMs: () => facts.clock.monotonic(),
      lastsMs: others ? othersLastMs : Number.POSITIVE_INFINITY,
      compose: async () => {
        if (!others) return describeRoutes(routes, facts);
        own ??= await describeRoutes(routes, facts);
        const paths = (await others()).map((document) => document.paths);
        // A path in both documents, such as health, is described by the process that answers it.
        return { ...own, paths: Object.assign({}, ...paths, own.paths) };
      },
    }),
  );
}

type OpenApiDocument = Exclude<ReturnType<App['swagger']>, string>;

/**
 * Describes the routes by a host that has the same ones and answers nothing. So the generator is loaded for the first reader of the document, and not at
 * each start: with its parser of YAML it takes some 2 MiB.
 */
async function describeRoutes(
  routes: readonly RouteOptions[],
  { version, publicUrl }: OpenApiFacts,
): Promise<OpenApiDocument> {
  const [{ default: swagger }, { default: fastify }] = await Promise.all([
    import('@fastify/swagger'),
    import('fastify'),
  ]);
  const host = fastify();
  host.setValidatorCompiler(() => () => true);
  host.setSerializerCompiler(() => () => '');
  await host.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Latchkey',
        version,
        description: 'Key server for AES-128 encrypted HLS video. Errors are RFC 9457 problem details.',
      },
      servers: [{ url: publicUrl ?? '/' }],
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
      // The host refuses a body that is too large or not JSON before the route sees it, also where the route needs none.
      const refused = bodyMethods.includes(`${route.method}`)
        ? problems('PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE')
        : {};
      const response = { ...refused, ...(schema?.response as object | undefined) };
      return { url, schema: { ...schema, ...security, response } };
    },
  });
  for (const { method, url, schema = {}, config = {} } of routes)
    host.route({ method, url, schema, config, handler: () => '' });
  await host.ready();
  return host.swagger() as OpenApiDocument;
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
