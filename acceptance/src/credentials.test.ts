import { describe, expect, it } from 'vitest';
import { describeAccess } from './access-table.ts';
import type { CallOptions } from './client.ts';
import { type CredentialKind, credentialKinds, makeCredentials } from './credentials.ts';
import { keyIdOf } from './key-id.ts';
import { speke1Document, spekeDocument } from './packagers/speke-documents.ts';
import { createApiKey, createLease, registerContent } from './server-actions.ts';
import { playlistOrigin } from './shared-settings.ts';
import { openTarget } from './target.ts';
import { unique } from './tokens.ts';

const kid = '98ee5596-cd3e-a20d-163a-e382420c6eff';
const target = await openTarget('every-route');
const { client } = target;
const { viewerId, of: credentials } = await makeCredentials(target);

/** A given server may have no `PUBLIC_URL`: then there is no key info, for nobody. */
const keyInfo = await readKeyInfo();
async function readKeyInfo(): Promise<string> {
  const path = `/api/v1/content/${await registerContent(target)}/key-info`;
  const { status, code } = await client.get(path, target.adminApiKey);
  return code ? `${status} ${code}` : `${status}`;
}

/** A content that sessions can play, if the server lists the origin: a given one may not. */
async function registerPlayable(): Promise<string> {
  const id = await registerContent(target);
  const json = { playlistUrl: `${playlistOrigin}/${id}.m3u8` };
  await client.call('PATCH', `/api/v1/content/${id}`, { as: target.adminApiKey, json });
  return id;
}

/** Marks a viewer of its own, and gives the mark's id. */
async function markViewer(): Promise<string> {
  const json = { viewerId: unique('marked') };
  await client.post('/keys/leases/revoke', target.adminApiKey, json);
  const marks = await client.get(`/api/v1/marks?viewerId=${json.viewerId}`, target.adminApiKey);
  return marks.json.marks[0].id;
}

const session = await createSession();
async function createSession(): Promise<string> {
  const json = { contentId: await registerPlayable(), viewerId };
  const { status, code } = await client.post('/keys/sessions', target.adminApiKey, json);
  return code ? `${status} ${code}` : `${status}`;
}

const table = describeAccess(keyInfo, session);

/** Routes that do not exist, also not in the document, unless a setting turns them on. */
const optional = ['POST /presign'];

/** A request about imported keys. */
function requestForKeys(route: string, id: string): { path: string } & CallOptions {
  const [method, template = ''] = route.split(' ');
  const path = template.replace('{id}', id).replace('{epoch}', '7');
  return { path, ...(method === 'PUT' && { body: 'sixteen octets..' }) };
}

/** A request about a webhook that does not exist: the tested server may list no origin. */
function requestForWebhook(route: string): { path: string } & CallOptions {
  const [method, template = ''] = route.split(' ');
  const path = template
    .replace('{id}', '00000000-0000-4000-8000-000000000000')
    .replace('{deliveryId}', 'msg_x');
  if (method === 'PATCH') return { path, json: { name: 'y' } };
  if (route !== 'POST /api/v1/webhooks') return { path };
  return { path, json: { name: 'x', url: 'https://hooks.example', events: ['lease.revoked'] } };
}

const requestForLicense = (template: string, contentId: string) => ({
  path: template.replace('{contentId}', contentId),
  json: { kids: [keyIdOf(contentId, 7)] },
});

/** Makes a request to the route that would succeed with the right credential. */
async function makeRequest(route: string, kind: CredentialKind): Promise<{ path: string } & CallOptions> {
  const [, template = ''] = route.split(' ');
  const content = () => registerContent(target);
  const lease = async () =>
    createLease(target, { token: target.adminApiKey, contentId: await content() }, { viewerId });
  const withId = async (id: string | Promise<string>) => ({ path: template.replace('{id}', await id) });
  const apiKeyId = async () => (await createApiKey(target, 'playback')).id;
  if (template.startsWith('/api/v1/content/{id}/keys')) return requestForKeys(route, await content());
  if (template.startsWith('/api/v1/webhooks')) return requestForWebhook(route);
  if (template.startsWith('/licenses/')) return requestForLicense(template, await content());
  if (/\/(key-info|cpix|vod-drm)$/.test(template)) return withId(content());
  switch (route) {
    case 'POST /api/v1/setup':
    case 'GET /api/v1/setup':
      return { path: template, headers: { 'x-forwarded-for': '203.0.113.9' } };
    case 'POST /api/v1/api-keys':
    case 'POST /api/v1/content':
      return { path: template, json: { name: unique('name') } };
    case 'DELETE /api/v1/api-keys/{id}':
    case 'POST /api/v1/api-keys/{id}/rotate':
      return withId(apiKeyId());
    case 'GET /api/v1/content/{id}':
    case 'DELETE /api/v1/content/{id}':
      return withId(content());
    case 'PATCH /api/v1/content/{id}':
      return { ...(await withId(content())), json: { name: 'y' } };
    case 'GET /api/v1/audit/export':
      // A filter, so that it does not export the rows of other tests.
      return { path: `${template}?format=csv&target=${unique('nothing')}` };
    case 'GET /api/v1/leases/{id}':
      return withId(lease());
    case 'DELETE /api/v1/marks/{id}':
      return withId(markViewer());
    case 'GET /keys/{contentId}':
    case 'GET /keys/{contentId}/{epoch}':
    case 'GET /keys/{contentId}/kid/{kid}':
    case 'PUT /keys/{contentId}':
    case 'PUT /keys/{contentId}/{epoch}':
      return {
        path: template
          .replace('{contentId}', await content())
          .replace('{epoch}', '7')
          .replace('{kid}', kid),
      };
    case 'POST /speke/v2.0/copyProtection':
    case 'POST /speke/v1.0/copyProtection': {
      const headers = { 'content-type': 'application/xml', 'x-speke-version': '2.0' };
      const contentId = await content();
      const isFirst = template.includes('v1.0');
      const body = isFirst ? speke1Document(contentId, [kid]) : spekeDocument({ contentId, kids: [kid] });
      return { path: template, headers, body };
    }
    case 'POST /keys/leases': {
      const named = kind.toLowerCase().includes('viewer') ? {} : { viewerId };
      return { path: template, json: { contentId: await content(), ...named } };
    }
    case 'POST /keys/sessions': {
      const named = kind.toLowerCase().includes('viewer') ? {} : { viewerId };
      return { path: template, json: { contentId: await registerPlayable(), ...named } };
    }
    case 'POST /keys/leases/renew':
    case 'POST /keys/leases/revoke':
      return { path: template, json: { leaseId: await lease() } };
    case 'POST /presign':
      return { path: template, json: { key: `content/${await content()}/1.ts`, contentType: 'video/mp2t' } };
    default:
      return { path: template, ...(await bodyFor(route)) };
  }
}

/** What the bodies of the other routes have. */
async function bodyFor(route: string): Promise<{ json?: object }> {
  if (route === 'POST /api/v1/player-metrics') return { json: playerMetrics };
  if (route === 'POST /api/v1/key-decisions')
    return { json: { contentId: await registerContent(target), viewerId } };
  return {};
}

const playerMetrics = {
  timeToFirstFrame: 1,
  avgDecryptTime: 1,
  avgFragLoadTime: 1,
  avgKeyFetchTime: 1,
  keyFetchCount: 1,
  qualitySwitches: 1,
  fragmentsLoaded: 1,
  stallCount: 1,
};

it('the table of credentials has every route, and every row of it is a route', () => {
  const { operations } = client.api;
  const there = Object.keys(table).filter((route) => operations.includes(route) || !optional.includes(route));
  expect(there.sort()).toEqual(operations.toSorted());
});

describe.each(client.api.operations.filter((route) => table[route]))('%s', (route) => {
  it.each(credentialKinds.map((kind) => [kind, table[route]?.[kind]] as const))(
    '%s → %s',
    async (kind, expected) => {
      const { path, ...options } = await makeRequest(route, kind);
      const as = credentials[kind];
      const { status, code } = await client.call(route.split(' ')[0] ?? '', path, { ...options, as });
      expect(code ? `${status} ${code}` : `${status}`).toBe(expected);
    },
  );
});
