import type { RouteOptions } from 'fastify';
import type { Clock } from '../clock/clock.ts';
import { describeRoutes, type OpenApiDocument, type OpenApiFacts } from './describe-routes.ts';
import { createKeptDocument } from './kept-document.ts';
import type { App } from './routes.ts';

interface OpenApiOptions extends OpenApiFacts {
  /** The documents of services in other processes. Their paths and schemas are added to the document of this process. */
  others?: (() => Promise<OpenApiDocument[]>) | undefined;
  clock: Clock;
}

/** How long the documents of other processes are used: they change only with an upgrade. */
const othersLastMs = 60_000;

/** `GET /openapi.json`, made from the schemas that validate. Call it before the routes are added. */
export function addOpenApi(app: App, options: OpenApiOptions): void {
  const routes: RouteOptions[] = [];
  app.addHook('onRoute', (route) => {
    // A gateway forwards methods that only it knows; those routes are hidden.
    if (route.method !== 'HEAD' && !route.schema?.hide) routes.push(route);
  });
  const { others, clock } = options;
  let own: OpenApiDocument | undefined;
  app.get(
    '/openapi.json',
    { config: { access: 'open', waitsForNothing: true }, schema: { hide: true } },
    createKeptDocument({
      nowMs: () => clock.monotonic(),
      lastsMs: others ? othersLastMs : Number.POSITIVE_INFINITY,
      compose: async () => {
        own ??= await describeRoutes(routes, options);
        return others ? merge(own, await others()) : own;
      },
    }),
  );
}

/** A path in two documents, such as health, is described by the process that answers it. */
function merge(own: OpenApiDocument, others: OpenApiDocument[]): OpenApiDocument {
  const documents = [...others, own];
  const schemas = documents.flatMap(({ components }) => Object.entries(components?.schemas ?? {}));
  return {
    ...own,
    components: {
      ...own.components,
      schemas: Object.fromEntries(schemas.sort(([a], [b]) => (a < b ? -1 : 1))),
    },
    paths: Object.assign({}, ...documents.map(({ paths }) => paths)),
  };
}
