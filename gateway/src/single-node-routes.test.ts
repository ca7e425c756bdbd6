import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { mountInTest, openGateway, openProcessInTest } from './single-node.fixture.ts';

/** Routes that the OpenAPI document leaves out, and why anyone may call each without a credential. */
const outsideTheDocument: Record<string, string> = {
  // With what is below it, which depends on whether the dashboard is built.
  'GET /': 'leads to the dashboard',
  'GET /admin': 'the dashboard, which shows nothing without an API key',
  'GET /openapi.json': 'the document itself',
  ...others(
    ['POST', 'PUT', 'PATCH', 'DELETE'],
    ['/api/v1/content/{id}/cpix', '/api/v1/content/{id}/vod-drm'],
    'GET',
  ),
  ...others(['POST', 'PATCH'], ['/api/v1/content/{id}/keys'], 'GET, PUT and DELETE'),
  ...others(['GET', 'POST', 'PATCH'], ['/api/v1/content/{id}/keys/{epoch}'], 'PUT and DELETE'),
  ...others(['GET', 'PUT', 'PATCH', 'DELETE'], ['/api/v1/key-decisions'], 'POST'),
  ...others(['GET', 'PUT'], ['/keys/leases', '/keys/leases/renew', '/keys/leases/revoke'], 'POST'),
};

/** Other methods of these paths. Their answer names the methods that the paths take. */
function others(methods: string[], paths: string[], taken: string): Record<string, string> {
  const routes = paths.flatMap((path) => methods.map((method) => `${method} ${path}`));
  return Object.fromEntries(routes.map((route) => [route, `answers that the path takes ${taken}`]));
}

/** Every route of the single node, as Fastify has it: `GET /keys/:contentId`. HEAD is part of GET. */
async function listRoutes(): Promise<string[]> {
  const process = await openProcessInTest({
    env: {
      ENABLE_PRESIGN: 'true',
      S3_BUCKET: 'videos',
      S3_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'id',
      AWS_SECRET_ACCESS_KEY: 'secret',
    },
    openApp: openGateway({ write: () => {}, flush: () => {} }),
  });
  await mountInTest(process);
  const { app } = process.context;
  await app.ready();
  return readTree(app.printRoutes({ commonPrefix: false })).filter(
    (route) => !/^(HEAD|OPTIONS) /.test(route),
  );
}

/** Fastify prints a tree: each line has the rest of a path behind its parent's, and the methods in brackets. */
function readTree(tree: string): string[] {
  const parents: string[] = [];
  return tree.split('\n').flatMap((line) => {
    const [, indent = '', label = '', methods = ''] =
      /^([│ ]*)[└├]── (\S+)(?: \(([A-Z, -]+)\))?/.exec(line) ?? [];
    if (label === '') return [];
    const depth = indent.length / 4;
    const path = (parents[depth - 1] ?? '') + label;
    parents[depth] = path;
    return methods === '' ? [] : methods.split(', ').map((method) => `${method} ${path}`);
  });
}

/** The rows of the table of routes and credentials, by which the black-box tests ask who may do what. */
function readAccessTable(): string[] {
  const text = readFileSync(
    new URL('../../tests/support/black-box/access-table.ts', import.meta.url),
    'utf8',
  );
  return [...text.matchAll(/^ {4}'([A-Z]+ \/[^']*)':/gm)].map(([, route = '']) => route);
}

it('every route of the server has a row in the table of routes and credentials, or is named here with its reason', async () => {
  const routes = (await listRoutes()).map((route) =>
    route.replace(/:(\w+)/g, '{$1}').replace(/^GET \/admin.*/, 'GET /admin'),
  );
  expect(routes).toContain('GET /keys/{contentId}/{epoch}');
  const table = readAccessTable();
  const expected = [...table, ...Object.keys(outsideTheDocument)].sort();
  expect([...new Set(routes)].sort()).toEqual(expected);
});
