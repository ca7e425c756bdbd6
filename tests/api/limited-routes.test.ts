import type { Answer } from '@latchkey/support/black-box/answer';
import type { CallOptions } from '@latchkey/support/black-box/client';
import {
  createApiKey,
  createLease,
  registerContent,
  revokeLeases,
} from '@latchkey/support/black-box/server-actions';
import { openTarget } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { viewerToken } from '@latchkey/support/tokens';
import { describe, expect, it } from 'vitest';
import { keyIdOf } from './key-id.ts';
import { speke1Document, spekeDocument } from './speke-documents.ts';

const target = await openTarget();
const { client, adminApiKey: admin } = target;

const own = await createApiKey(target, 'full', { contents: [`${unique('acme')}-*`] });
const viewerId = unique('viewer');
const token = viewerToken(target.jwtSecret, viewerId);

/** A content of another tenant, with everything that a content can have. */
async function furnishOther() {
  const contentId = await registerContent(target, unique('other'));
  const leaseId = await createLease(target, { token, contentId });
  const marked = viewerToken(target.jwtSecret, unique('marked'));
  const marking = await createLease(target, { token: marked, contentId });
  await revokeLeases(target, { leaseId: marking });
  const { raw, id: keyId } = await createApiKey(target, 'full', { contents: [contentId] });
  const epoch = `/api/v1/content/${contentId}/keys/3`;
  await client.call('PUT', epoch, { as: admin, body: 'sixteen octets..' });
  const { json } = await client.get(`/api/v1/marks?contentId=${contentId}`, admin);
  return { contentId, leaseId, keyId, raw, markId: json.marks[0].id };
}
const other = await furnishOther();

const call = (route: string, options: CallOptions = {}, as = own.raw) => {
  const [method = '', path = ''] = route.split(' ');
  return client.call(method, path, { ...options, as });
};

/** The range of a usage that was asked for without one ends now, and a minute can begin between two answers. */
const ofNow = /"(?:from|to|completeUntil)":"[^"]*"/g;

/** An answer without what differs between any two: its id and time, and the ids that the request named. */
function shapeOf(answer: Answer, ids: readonly string[]): unknown {
  const { 'x-request-id': _id, date: _date, ...headers } = answer.headers;
  const text = ids.reduce((all, id) => all.replaceAll(id, '…'), answer.bytes.toString());
  return { status: answer.status, headers, text: text.replaceAll(answer.requestId, '…').replace(ofNow, '…') };
}

/** Of one tenant. */
interface Named {
  contentId: string;
  keyId: string;
  leaseId: string;
  markId: string;
}
const json = (value: object): CallOptions => ({ json: value });
const xml = { 'content-type': 'application/xml', 'x-speke-version': '2.0' };
const kid = '98ee5596-cd3e-a20d-163a-e382420c6eff';
const renaming = () => json({ name: 'x' });
const noBody = (): CallOptions => ({});
const keyBytes = (): CallOptions => ({ body: 'sixteen octets..' });
/** Each route that names a content, an API key, a lease or a mark, some with a query: what is sent to it. */
const requests: Record<string, (named: Named) => CallOptions> = {
  'GET /api/v1/api-keys/{id}': noBody,
  'PATCH /api/v1/api-keys/{id}': renaming,
  'DELETE /api/v1/api-keys/{id}': noBody,
  'POST /api/v1/api-keys/{id}/rotate': noBody,
  'POST /api/v1/content': ({ contentId: id }) => json({ id, name: 'x' }),
  'GET /api/v1/content?ids={contentId}': noBody,
  'GET /api/v1/content?q={contentId}': noBody,
  'GET /api/v1/content?prefix={contentId}': noBody,
  'GET /api/v1/content/{id}': noBody,
  'PATCH /api/v1/content/{id}': renaming,
  'DELETE /api/v1/content/{id}': noBody,
  'GET /api/v1/content/{id}/key-info': noBody,
  'PUT /api/v1/content/{id}/key-info': noBody,
  'GET /api/v1/content/{id}/cpix': noBody,
  'GET /api/v1/content/{id}/vod-drm': noBody,
  'GET /api/v1/content/{id}/keys': noBody,
  'PUT /api/v1/content/{id}/keys': keyBytes,
  'PUT /api/v1/content/{id}/keys/{epoch}': keyBytes,
  'DELETE /api/v1/content/{id}/keys': noBody,
  'DELETE /api/v1/content/{id}/keys/{epoch}': noBody,
  'POST /speke/v2.0/copyProtection': ({ contentId }) => ({
    headers: xml,
    body: spekeDocument({ contentId, kids: [kid] }),
  }),
  'POST /speke/v1.0/copyProtection': ({ contentId }) => ({
    headers: xml,
    body: speke1Document(contentId, [kid]),
  }),
  'GET /api/v1/leases?contentId={contentId}': noBody,
  'GET /api/v1/leases/{id}': noBody,
  'GET /api/v1/viewers?prefix={contentId}': noBody,
  'GET /api/v1/marks?contentId={contentId}': noBody,
  'DELETE /api/v1/marks/{id}': noBody,
  'GET /api/v1/usage?by=content&id={contentId}': noBody,
  'POST /api/v1/key-decisions': ({ contentId }) => json({ contentId, viewerId }),
  'GET /keys/{contentId}': noBody,
  'PUT /keys/{contentId}': noBody,
  'GET /keys/{contentId}/{epoch}': noBody,
  'PUT /keys/{contentId}/{epoch}': noBody,
  'GET /keys/{contentId}/kid/{kid}': noBody,
  'POST /licenses/clearkey/{contentId}': ({ contentId }) => json({ kids: [keyIdOf(contentId, 3)] }),
  'POST /keys/leases': ({ contentId }) => json({ contentId, viewerId }),
  'POST /keys/sessions': ({ contentId }) => json({ contentId, viewerId }),
  'POST /keys/leases/renew': ({ leaseId }) => json({ leaseId }),
  'POST /keys/leases/revoke': ({ leaseId }) => json({ leaseId }),
  'POST /keys/leases/revoke?': ({ contentId }) => json({ contentId, viewerId }),
  'POST /presign': ({ contentId }) => json({ key: `content/${contentId}/1.ts`, contentType: 'video/mp2t' }),
};
/** They name none of these, or are about the whole server. The table of credentials has them too. */
const others = [
  ...['GET /health', 'GET /ready', 'GET /api/v1/setup', 'POST /api/v1/setup', 'GET /play/{sid}/{name}'],
  ...['GET /api/v1/api-keys', 'POST /api/v1/api-keys', 'GET /api/v1/api-keys/current'],
  ...['GET /api/v1/audit', 'GET /api/v1/audit/export', 'GET /api/v1/events', 'GET /api/v1/statistics'],
  ...['GET /speke/v1.0/heartbeat', 'POST /api/v1/player-metrics', 'GET /api/v1/viewers/blocks'],
  ...['GET', 'PUT', 'DELETE'].map((method) => `${method} /api/v1/viewers/{viewerId}/block`),
];

it('every route that names a content, an API key, a lease or a mark is compared', () => {
  const compared = Object.keys(requests).map((route) => route.replace(/\?.*/, ''));
  const left = client.api.operations.filter(
    (route) => !compared.includes(route) && !others.includes(route) && !route.includes('/webhooks'),
  );
  expect(left).toEqual([]);
});

function pathOf(route: string, named: Named): string {
  const id = route.includes('/api-keys/')
    ? named.keyId
    : route.includes('/leases/')
      ? named.leaseId
      : route.includes('/marks/')
        ? named.markId
        : named.contentId;
  const values: Record<string, string> = { contentId: named.contentId, id, epoch: '3', kid };
  return route.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
}

/** Names of the same length as the names of the other tenant, so that answers that repeat them are as long. */
function unknownLike({ contentId, markId }: Named): Named {
  const unknown = contentId.replace('other', 'never');
  return {
    contentId: unknown,
    keyId: crypto.randomUUID(),
    leaseId: crypto.randomUUID(),
    markId: markId.replaceAll(contentId, unknown),
  };
}

describe('a limited API key gets the same answer for a content of others and for one that does not exist', () => {
  it.each(Object.entries(requests))('%s', async (route, of) => {
    const ask = async (named: Named) => {
      const ids = [named.contentId, named.keyId, named.leaseId, keyIdOf(named.contentId, 3)];
      return shapeOf(await call(pathOf(route, named), of(named)), ids);
    };
    const unknown = unknownLike(other);
    expect(await ask(other)).toEqual(await ask(unknown));
  });

  it('and neither of them is changed or made', async () => {
    const { json: found } = await client.get(`/api/v1/content/${other.contentId}`, admin);
    expect(found.content).toMatchObject({ name: other.contentId, status: 'active' });
    const unknown = await client.get(`/api/v1/content/${unknownLike(other).contentId}`, admin);
    expect(unknown.code).toBe('CONTENT_NOT_FOUND');
    expect((await client.get(`/api/v1/leases/${other.leaseId}`, admin)).json.lease.state).toBe('active');
    expect((await client.get('/api/v1/api-keys/current', other.raw)).json.api_key.id).toBe(other.keyId);
  });
});
