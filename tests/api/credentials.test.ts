import { describeAccess } from '@latchkey/support/black-box/access-table';
import { outcomeOf } from '@latchkey/support/black-box/answer';
import type { CallOptions } from '@latchkey/support/black-box/client';
import {
  type CredentialKind,
  credentialKinds,
  makeCredentials,
} from '@latchkey/support/black-box/credentials';
import { createApiKey, createLease, registerContent } from '@latchkey/support/black-box/server-actions';
import { playlistOrigin } from '@latchkey/support/black-box/shared-settings';
import { openTarget } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { setPlaylist } from '@latchkey/support/playback/open-session';
import { describe, expect, it } from 'vitest';
import { keyIdOf } from './key-id.ts';
import { speke1Document, spekeDocument } from './speke-documents.ts';

const kid = '98ee5596-cd3e-a20d-163a-e382420c6eff';
const target = await openTarget('every-route');
const { client } = target;
const { viewerId, of: credentials } = await makeCredentials(target);

/** A given server may have no `PUBLIC_URL`: then there is no key info, for nobody. */
const keyInfo = outcomeOf(
  await client.get(`/api/v1/content/${await registerContent(target)}/key-info`, target.adminApiKey),
);

/** A content that sessions can play. */
async function registerPlayable(): Promise<string> {
  const id = await registerContent(target);
  // A given server may not list the origin.
  await setPlaylist(target, id, `${playlistOrigin}/film.m3u8`).catch(() => {});
  return id;
}

/** Marks a viewer of its own, and gives the mark's id. */
async function markViewer(): Promise<string> {
  const json = { viewerId: unique('marked') };
  await client.post('/keys/leases/revoke', target.adminApiKey, json);
  const marks = await client.get(`/api/v1/marks?viewerId=${json.viewerId}`, target.adminApiKey);
  return marks.json.marks[0].id;
}

/** A viewer that no other test plays as, and that is blocked before its block is lifted. */
async function makeBlockable(route: string): Promise<string> {
  const id = unique('blocked');
  const path = `/api/v1/viewers/${id}/block`;
  if (route.startsWith('DELETE')) await client.call('PUT', path, { as: target.adminApiKey, json: {} });
  return id;
}

const playable = { contentId: await registerPlayable(), viewerId };
const session = outcomeOf(await client.post('/keys/sessions', target.adminApiKey, playable));

const table = describeAccess(keyInfo, session);

/** Routes that do not exist, also not in the document, unless a setting turns them on. */
const optional = ['POST /presign'];

const isViewer = (kind: CredentialKind) => kind.toLowerCase().includes('viewer');

/** Makes a request to the route that would succeed with the right credential. */
async function makeRequest(route: string, kind: CredentialKind): Promise<{ path: string } & CallOptions> {
  const [, template = ''] = route.split(' ');
  const contentId = await (route === 'POST /keys/sessions' ? registerPlayable() : registerContent(target));
  const lease = () => createLease(target, { token: target.adminApiKey, contentId }, { viewerId });
  const makeId = async () => {
    if (template.includes('/api-keys/{')) return (await createApiKey(target, 'playback')).id;
    if (template.includes('/leases/{')) return lease();
    if (template.includes('/marks/')) return markViewer();
    // The tested server may list no origin, so there is no webhook.
    return template.includes('/webhooks/') ? '00000000-0000-4000-8000-000000000000' : contentId;
  };
  const values: Record<string, string> = {
    id: template.includes('{id}') ? await makeId() : '',
    contentId,
    viewerId: template.includes('{viewerId}') ? await makeBlockable(route) : '',
    epoch: '7',
    kid,
    deliveryId: 'msg_x',
  };
  const path = template.replace(/\{(\w+)\}/g, (all, name: string) => values[name] ?? all);
  // A filter, so that it does not export the rows of other tests.
  const query = route === 'GET /api/v1/audit/export' ? `?format=csv&target=${unique('nothing')}` : '';
  const named = isViewer(kind) ? {} : { viewerId };
  const forwarded = () => ({ headers: { 'x-forwarded-for': '203.0.113.9' } });
  const withName = () => ({ json: { name: unique('name') } });
  const withKey = () => ({ body: 'sixteen octets..' });
  const withContent = () => ({ json: { contentId, ...named } });
  const withLease = async () => ({ json: { leaseId: await lease() } });
  const xml = { 'content-type': 'application/xml', 'x-speke-version': '2.0' };
  const options: Record<string, () => CallOptions | Promise<CallOptions>> = {
    'GET /api/v1/setup': forwarded,
    'POST /api/v1/setup': forwarded,
    'POST /api/v1/api-keys': withName,
    'POST /api/v1/content': withName,
    'PATCH /api/v1/api-keys/{id}': withName,
    'PATCH /api/v1/content/{id}': withName,
    'PATCH /api/v1/webhooks/{id}': withName,
    'POST /api/v1/webhooks': () => ({
      json: { name: 'x', url: 'https://hooks.example', events: ['lease.revoked'] },
    }),
    'PUT /api/v1/content/{id}/keys': withKey,
    'PUT /api/v1/content/{id}/keys/{epoch}': withKey,
    'POST /licenses/clearkey/{contentId}': () => ({ json: { kids: [keyIdOf(contentId, 7)] } }),
    'POST /speke/v1.0/copyProtection': () => ({ headers: xml, body: speke1Document(contentId, [kid]) }),
    'POST /speke/v2.0/copyProtection': () => ({
      headers: xml,
      body: spekeDocument({ contentId, kids: [kid] }),
    }),
    'POST /keys/leases': withContent,
    'POST /keys/sessions': withContent,
    'POST /keys/leases/renew': withLease,
    'POST /keys/leases/revoke': withLease,
    'POST /presign': () => ({ json: { key: `content/${contentId}/1.ts`, contentType: 'video/mp2t' } }),
    'POST /api/v1/player-metrics': () => ({ json: playerMetrics }),
    'POST /api/v1/key-decisions': () => ({ json: { contentId, viewerId } }),
  };
  return { path: path + query, ...(await options[route]?.()) };
}

/** One request for all credentials that are refused, because a refusal changes nothing. */
const toRefuse = new Map<string, ReturnType<typeof makeRequest>>();
function refused(route: string, kind: CredentialKind): ReturnType<typeof makeRequest> {
  const name = `${route} ${isViewer(kind)}`;
  const request = toRefuse.get(name) ?? makeRequest(route, kind);
  toRefuse.set(name, request);
  return request;
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
  // At the same time, because a refusal waits for its row in the audit.
  it.concurrent.each(credentialKinds.map((kind) => [kind, table[route]?.[kind]] as const))(
    '%s → %s',
    async (kind, expected) => {
      const { path, ...options } = await (expected?.startsWith('4')
        ? refused(route, kind)
        : makeRequest(route, kind));
      const as = credentials[kind];
      expect(outcomeOf(await client.call(route.split(' ')[0] ?? '', path, { ...options, as }))).toBe(
        expected,
      );
    },
  );
});
