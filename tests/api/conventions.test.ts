import { Readable } from 'node:stream';
import { registerContent } from '@latchkey/support/black-box/server-actions';
import { openTarget } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { expect, it } from 'vitest';

const target = await openTarget();
const { client, adminApiKey: admin } = target;
const limitBytes = 64 * 1024;

/** A valid body for `POST /api/v1/content` with exactly this many bytes. */
function bodyOf(bytes: number): string {
  const empty = JSON.stringify({ name: 'x', id: unique('large') });
  return empty.padEnd(bytes, ' ');
}

it('every path that answers GET answers HEAD, with the same head and no body', async () => {
  const contentId = await registerContent(target);
  const paths = ['/health', '/ready', '/openapi.json', '/admin', '/api/v1/setup', '/api/v1/api-keys'];
  paths.push('/api/v1/api-keys/current', '/api/v1/audit', '/api/v1/content', `/api/v1/content/${contentId}`);
  paths.push('/api/v1/leases', `/keys/${contentId}`, `/keys/${contentId}/0`, '/api/v1/events');
  for (const path of paths) {
    const get = await client.get(path, admin);
    const head = await client.call('HEAD', path, { as: admin });
    expect([path, head.status, head.type]).toEqual([path, get.status, get.type]);
    expect([path, get.status]).toEqual([path, 200]);
  }
});

it('JSON with a charset is accepted', async () => {
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  const body = JSON.stringify({ name: 'été' });
  const answer = await client.call('POST', '/api/v1/content', { as: admin, headers, body });
  expect([answer.status, answer.json.content.name]).toEqual([201, 'été']);
});

it.each(['a', 'A-z_0.9', 'x'.repeat(64)])('the request id %s is kept', async (id) => {
  const answer = await client.get('/health', undefined, { 'x-request-id': id });
  expect(answer.requestId).toBe(id);
});

it.each(['x'.repeat(65), 'a b', 'a/b', 'ä', '"', ''])(
  'the malformed request id %j is replaced',
  async (id) => {
    const answer = await client.get('/nowhere', undefined, { 'x-request-id': id });
    expect(answer.requestId).not.toBe(id);
    expect(answer.json.requestId).toBe(answer.requestId);
  },
);

it('each request without a request id gets one of its own', async () => {
  const ids = await Promise.all(Array.from({ length: 20 }, () => client.get('/health')));
  expect(new Set(ids.map(({ requestId }) => requestId)).size).toBe(20);
});

it.each([
  ['an unknown member', { name: 'x', colour: 'red' }, '/colour'],
  ['a text for a number', { name: 'x', sizeBytes: '5' }, '/sizeBytes'],
  ['a number for a text', { name: 5 }, '/name'],
  ['a boolean for a text', { name: true }, '/name'],
  ['a list for an object', { name: 'x', metadata: [] }, '/metadata'],
  ['a number for an object', { name: 'x', metadata: 0 }, '/metadata'],
  ['a missing member', { id: 'x' }, '/name'],
  ['a fraction for an integer', { name: 'x', sizeBytes: 1.5 }, '/sizeBytes'],
])('a body with %s gets 400 with the path of the fault', async (_what, json, path) => {
  const answer = await client.post('/api/v1/content', admin, json);
  expect([answer.status, answer.code]).toEqual([400, 'VALIDATION_FAILED']);
  expect(answer.json.errors.map((error: { path: string }) => error.path)).toContain(path);
});

it.each([
  ['POST', '/api/v1/api-keys', { name: 'x', extra: 1 }],
  ['POST', `/api/v1/api-keys/${crypto.randomUUID()}/rotate`, { overlapSeconds: 1, extra: 1 }],
  ['POST', '/api/v1/api-keys', { name: 'x', scope: 'root' }],
  ['POST', `/api/v1/api-keys/${crypto.randomUUID()}/rotate`, { overlapSeconds: '5' }],
  ['PATCH', '/api/v1/content/x', { name: 'x', extra: 1 }],
  ['POST', '/keys/leases', { contentId: 'x', viewerId: 'v', extra: 1 }],
  ['POST', '/keys/leases', { contentId: 'x', viewerId: 'v', requestedTtlSeconds: '60' }],
  ['POST', '/keys/leases/renew', { leaseId: crypto.randomUUID(), extra: 1 }],
  ['POST', '/keys/leases/revoke', { viewerId: 'x', extra: 1 }],
])('%s %s refuses %j', async (method, path, json) => {
  const answer = await client.call(method, path, { as: admin, json });
  expect([answer.status, answer.code]).toEqual([400, 'VALIDATION_FAILED']);
});

it('POST /api/v1/setup refuses an unknown member, unless the server is claimed', async () => {
  const isOpen = (await client.get('/api/v1/setup')).json.setup_required;
  const answer = await client.post('/api/v1/setup', admin, { name: 'x', extra: 1 });
  expect(answer.code).toBe(isOpen ? 'VALIDATION_FAILED' : 'SETUP_ALREADY_DONE');
});

it.each([
  // Not JSON.
  ...['{', '{"name":"x"', '{"name":', 'nonsense', 'name=x', '{"name":"x"}}', "{'name':'x'}"],
  // Not an object.
  ...['null', '[]', '"text"', '5', ''],
  // Names that would change a prototype, the last two in a member that takes any other name.
  '{"name":"x","__proto__":{"status":"disabled"}}',
  '{"name":"x","metadata":{"a":{"__proto__":{"b":1}}}}',
  '{"name":"x","metadata":{"constructor":{"prototype":{"b":1}}}}',
])('the body %s gets 400', async (body) => {
  const headers = { 'content-type': 'application/json' };
  const answer = await client.call('POST', '/api/v1/content', { as: admin, headers, body });
  expect([answer.status, answer.code]).toEqual([400, 'VALIDATION_FAILED']);
});

it.each([
  '/api/v1/api-keys?limit=0',
  '/api/v1/api-keys?limit=501',
  '/api/v1/api-keys?limit=x',
  '/api/v1/api-keys?limit=1.5',
  '/api/v1/api-keys?limit=',
  '/api/v1/api-keys?limit=5&limit=6',
  '/api/v1/api-keys?__proto__=1',
  '/api/v1/api-keys?cursor=nonsense',
  '/api/v1/audit?limit=0',
  '/api/v1/audit?limit=501',
  '/api/v1/audit?cursor=nonsense',
  '/api/v1/leases?limit=0',
  '/api/v1/leases?state=gone',
  '/api/v1/leases?cursor=nonsense',
  '/api/v1/leases?viewer=ann',
  '/api/v1/content?limit=501',
  '/api/v1/content?offset=-1',
  '/api/v1/content?status=gone',
])('GET %s is refused', async (path) => {
  const answer = await client.get(path, admin);
  expect([answer.status, answer.code]).toEqual([400, 'VALIDATION_FAILED']);
});

it.each(['/nowhere', '/api/v1', '/api/v1/audit/', '/keys', '/api/v2/content'])(
  'the unknown path %s gets 404, which no cache keeps',
  async (path) => {
    const { status, headers } = await client.get(path, admin);
    expect([status, headers['cache-control']]).toEqual([404, 'no-store']);
  },
);

it.each([
  ['PUT', '/api/v1/api-keys', 'GET, HEAD, POST'],
  ['DELETE', '/api/v1/api-keys', 'GET, HEAD, POST'],
  ['POST', '/api/v1/api-keys/current', 'GET, HEAD'],
  ['PATCH', '/api/v1/setup', 'GET, HEAD, POST'],
  ['PUT', '/api/v1/content/x', 'DELETE, GET, HEAD, PATCH'],
  ['POST', '/keys/x', 'GET, HEAD, PUT'],
  ['DELETE', '/keys/x/1', 'GET, HEAD, PUT'],
  ['GET', '/keys/leases', 'POST'],
  ['PUT', '/keys/leases', 'POST'],
  ['PUT', '/keys/leases/revoke', 'POST'],
  ['GET', '/keys/leases/renew', 'POST'],
  ['GET', '/keys/leases/revoke', 'POST'],
  ['DELETE', '/keys/leases/revoke', 'POST'],
  ['POST', '/health', 'GET, HEAD'],
  ['POST', '/openapi.json', 'GET, HEAD'],
  ['OPTIONS', '/api/v1/audit', 'GET, HEAD'],
  ['POST', '/admin', 'GET, HEAD'],
  ['POST', '/admin/api-keys', 'GET, HEAD'],
])('%s %s gets 405 with the methods in Allow', async (method, path, allowed) => {
  const answer = await client.call(method, path, { as: admin });
  expect([answer.status, answer.code]).toEqual([405, 'METHOD_NOT_ALLOWED']);
  expect(answer.headers.allow?.split(', ').sort().join(', ')).toBe(allowed);
});

const headers = { 'content-type': 'application/json' };

it('a body may have 64 KiB, and one byte more gets 413, whether it announces its length or not', async () => {
  const send = (body: string | Readable) =>
    client.call('POST', '/api/v1/content', { as: admin, headers, body });
  expect((await send(bodyOf(limitBytes))).status).toBe(201);
  for (const body of [bodyOf(limitBytes + 1), Readable.from([bodyOf(limitBytes), ' '])]) {
    const answer = await send(body);
    expect([answer.status, answer.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  }
});

it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml'])(
  'a body of the type %s gets 415: it is not JSON. So does one for a path that needs none',
  async (type) => {
    const headers = { 'content-type': type };
    const send = (method: string, path: string) =>
      client.call(method, path, { as: admin, headers, body: '{"name":"x"}' });
    for (const [method, path] of [
      ['POST', '/api/v1/content'],
      ['PUT', '/keys/film'],
      ['PUT', '/keys/film/7'],
      ['PUT', '/api/v1/content/film/key-info'],
      ['DELETE', '/api/v1/content/film'],
    ] as const)
      expect([method, path, (await send(method, path)).status]).toEqual([method, path, 415]);
  },
);
