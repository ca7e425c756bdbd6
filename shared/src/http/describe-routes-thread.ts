import { parentPort, workerData } from 'node:worker_threads';
import swagger from '@fastify/swagger';
import fastify from 'fastify';
import type { DescribeRequest, OpenApiDocument } from './describe-routes.ts';
import { createNamedSchemas } from './named-schemas.ts';

// A thread of `describeRoutes`.
parentPort?.postMessage(await describe(workerData as DescribeRequest));

/** Describes the routes by a host that has the same ones and answers nothing. */
async function describe({ routes, facts }: DescribeRequest): Promise<OpenApiDocument> {
  const { version, publicUrl } = facts;
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
    refResolver: { buildLocalReference: ({ $id }) => String($id) },
  });
  const schemas = createNamedSchemas();
  const described = routes.map((route) => ({ ...route, schema: schemas.refer(route.schema) }));
  for (const schema of schemas.all()) host.addSchema(schema);
  for (const route of described) host.route({ ...route, handler: () => '' });
  await host.ready();
  const document = host.swagger() as OpenApiDocument;
  markOptionalBodies(document);
  return document;
}

interface Operation {
  requestBody?: {
    required?: boolean;
    content: Record<string, { schema?: { required?: string[]; minProperties?: number } }>;
  };
}

/** The generator marks every body as required; one without required members may be left out altogether. */
function markOptionalBodies({ paths = {} }: OpenApiDocument): void {
  const operations = Object.values(paths).flatMap((path) => Object.values(path as Record<string, Operation>));
  for (const { requestBody } of operations) {
    const schema = requestBody?.content['application/json']?.schema;
    if (requestBody && schema && !schema.required?.length && !schema.minProperties)
      requestBody.required = false;
  }
}
