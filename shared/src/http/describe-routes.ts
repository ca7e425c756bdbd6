import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { RouteOptions } from 'fastify';
import { type Access, accessRules } from '../auth/index.ts';
import { problems } from '../errors/errors.ts';

/** The parts of the document that routes do not have. */
export interface OpenApiFacts {
  version: string;
  /** `PUBLIC_URL`; null if it is not set. */
  publicUrl: string | null;
}

/** An OpenAPI document, as far as this code reads it. */
export interface OpenApiDocument {
  paths?: Record<string, unknown>;
  components?: { schemas?: Record<string, unknown> };
}

/** The message to the thread. The schema of a route has everything that the document shows. */
export interface DescribeRequest {
  routes: { method: string; url: string; schema: object }[];
  facts: OpenApiFacts;
}

/** Those whose body Fastify reads. */
const bodyMethods = ['POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * Describes the routes on a thread that ends with the document. To load the generator and to describe some 60 routes takes 0.1 s of processor time, in
 * which the process would answer no request. The thread also returns the memory of the generator.
 */
export async function describeRoutes(
  routes: readonly RouteOptions[],
  { version, publicUrl }: OpenApiFacts,
): Promise<OpenApiDocument> {
  const request: DescribeRequest = {
    routes: routes.map((route) => ({
      method: `${route.method}`,
      url: route.url,
      schema: completeSchema(route),
    })),
    facts: { version, publicUrl },
  };
  const thread = new Worker(new URL('./describe-routes-thread.ts', import.meta.url), {
    workerData: request,
    // Debuggers and loaders of the process are not meant for it.
    execArgv: [],
  });
  const [document] = await once(thread, 'message');
  return document as OpenApiDocument;
}

/** With what every route has: its credential, and the refusals of its host. */
function completeSchema({ method, schema, config }: RouteOptions): object {
  const security = securityOf(config?.access);
  // The host refuses a body that is too large or not JSON before the route sees it, also where the route needs none.
  const refused = bodyMethods.includes(`${method}`)
    ? problems('PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE')
    : {};
  return {
    ...schema,
    ...(security.length > 0 && { security }),
    response: { ...refused, ...(schema?.response as object | undefined) },
  };
}

/**
 * The credentials that open a route, of which one is enough. OpenAPI 3.1 (Security Requirement Object) allows roles with any scheme: here the scope of an
 * API key, or `viewer` for a viewer's token.
 */
function securityOf(access: Access = 'open'): { credential: string[] }[] {
  const rule = accessRules[access];
  if (!rule) return [];
  return [...rule.scopes, ...(rule.viewer ? ['viewer'] : [])].map((role) => ({ credential: [role] }));
}
