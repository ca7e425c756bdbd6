import { token } from '../credentials.ts';
import { kid } from '../odd-key-requests.ts';
import { type Json, jsonBody, type Recorder, type Request } from '../recorder.ts';

/** A route of the server's own document. */
export interface Operation {
  name: string;
  method: string;
  path: string;
  parameters: { in: string; name: string; schema: Json }[];
  /** Of its JSON body; null without one. */
  schema: Json | null;
  /** The name, as a part of ids. */
  tag: string;
}

/** In the order of their names: the document of each profile has another. */
export function listOperations(document: Json): Operation[] {
  const { schemas } = document.components;
  const resolve = (value: Json): Json => {
    if (typeof value !== 'object' || value === null) return value;
    if (value.$ref) return resolve(schemas[value.$ref.split('/').at(-1)]);
    if (Array.isArray(value)) return value.map(resolve);
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, resolve(member)]));
  };
  const operations = Object.entries<Json>(resolve(document.paths)).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, { parameters = [], requestBody }]) => ({
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      parameters,
      schema: requestBody?.content['application/json']?.schema ?? null,
      tag: `${method}${path.replace(/\W+/g, '-')}`,
    })),
  );
  return operations.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** A request that an admin may make, and its values. */
export interface Scene {
  contentId: string;
  leaseId: string;
  ids: Readonly<Record<string, string>>;
}

/** Makes what an operation acts on, of its own, so that the operations do not meet. */
export async function makeScene(
  { call, forms }: Recorder,
  { path, name }: Operation,
  tag: string,
): Promise<Scene> {
  const contentId = `content-${tag}`;
  const viewerId = `viewer-${tag}`;
  const remember = (id: string, what: string) => {
    forms.remember(id, `${what}-${tag}`);
    return id;
  };
  await call('POST', '/api/v1/content', { id: contentId, name: 'Film' });
  const lease = await call('POST', '/keys/leases', { contentId }, token());
  const leaseId = remember(lease.lease.id, 'lease');
  let id = contentId;
  if (path.includes('/api-keys/')) {
    const created = await call('POST', '/api/v1/api-keys', { name: 'A', scope: 'playback' });
    id = remember(created.api_key.id, 'api-key');
  } else if (path.includes('/webhooks/') && name.startsWith('DELETE')) {
    id = remember((await call('POST', '/api/v1/webhooks', await webhook(call))).webhook.id, 'webhook');
  } else if (path.includes('/webhooks/')) {
    id = (await call('GET', '/api/v1/webhooks')).webhooks[0].id;
  } else if (path.includes('/marks/')) {
    await call('POST', '/keys/leases/revoke', { viewerId });
    id = remember((await call('GET', `/api/v1/marks?viewerId=${viewerId}`)).marks[0].id, 'mark');
  } else if (path.includes('/leases/{')) id = leaseId;
  const { session } = await call('POST', '/keys/sessions', { contentId: 'film', viewerId });
  const sid = remember(session.id, 'session');
  if (name === 'DELETE /api/v1/viewers/{viewerId}/block')
    await call('PUT', `/api/v1/viewers/${viewerId}/block`, {});
  const ids = { id, contentId, viewerId, sid, kid, epoch: '0', name: 'film.m3u8', deliveryId: kid };
  return { contentId, leaseId, ids };
}

/** The origin of the receiver is the only one that the server knows. */
async function webhook(call: Recorder['call']): Promise<Json> {
  const [first] = (await call('GET', '/api/v1/webhooks')).webhooks;
  return { name: 'A', url: first.url, events: ['lease.limit-reached'] };
}

export function fillPath(path: string, ids: Scene['ids']): string {
  return path.replace(/\{(\w+)\}/g, (_all, name: string) => ids[name] ?? name);
}

/** Lists are cut, so that a record does not depend on what was created before. */
const queries: Readonly<Record<string, string>> = {
  'GET /api/v1/statistics': '?steps=1',
  'GET /api/v1/api-keys': '?limit=1&status=revoked&sort=createdAt',
  'GET /api/v1/audit': '?limit=1&sort=at&action=content.create&outcome=done',
  'GET /api/v1/audit/export': '?format=csv&action=none',
  'GET /api/v1/usage': '?by=content&id=none',
  'GET /api/v1/webhooks/{id}/deliveries': '?limit=1',
  'GET /api/v1/content': '?ids=film',
  'GET /api/v1/leases': '?contentId=film&limit=1&sort=createdAt',
  'GET /api/v1/viewers': '?prefix=none',
  'GET /api/v1/viewers/blocks': '?limit=1',
  'GET /api/v1/marks': '?viewerId=none',
};

const cpix = (root: string, inner: string, kidOf: string) =>
  `<cpix:CPIX ${root} xmlns:cpix="urn:dashif:org:cpix" xmlns:pskc="urn:ietf:params:xml:ns:keyprov:pskc" xmlns:speke="urn:aws:amazon:com:speke"><cpix:ContentKeyList><cpix:ContentKey kid="${kidOf}" commonEncryptionScheme="cbc1"></cpix:ContentKey></cpix:ContentKeyList><cpix:DRMSystemList>${inner}</cpix:DRMSystemList>`;

export function speke(version: 1 | 2, contentId: string, system?: string): string {
  if (version === 1) {
    const inner = `<cpix:DRMSystem kid="${kid}" systemId="${system ?? '81376844-f976-481e-a84e-cc25d39b0b33'}"><cpix:URIExtXKey></cpix:URIExtXKey><speke:KeyFormat></speke:KeyFormat><speke:KeyFormatVersions></speke:KeyFormatVersions></cpix:DRMSystem>`;
    return `${cpix(`id="${contentId}"`, inner, kid)}</cpix:CPIX>`;
  }
  const inner = `<cpix:DRMSystem kid="${kid}" systemId="${system ?? '3ea8778f-7742-4bf9-b18b-e834b2acbd47'}"><cpix:HLSSignalingData playlist="media"></cpix:HLSSignalingData><cpix:HLSSignalingData playlist="master"></cpix:HLSSignalingData></cpix:DRMSystem>`;
  const rules = `<cpix:ContentKeyUsageRuleList><cpix:ContentKeyUsageRule kid="${kid}" intendedTrackType="VIDEO"><cpix:VideoFilter /></cpix:ContentKeyUsageRule></cpix:ContentKeyUsageRuleList>`;
  return `${cpix(`contentId="${contentId}" version="2.3"`, inner, kid)}${rules}</cpix:CPIX>`;
}

const playerMetrics = {
  timeToFirstFrame: 400,
  avgDecryptTime: 2,
  avgFragLoadTime: 90,
  avgKeyFetchTime: 9,
  keyFetchCount: 3,
  qualitySwitches: 1,
  fragmentsLoaded: 40,
  stallCount: 0,
};

/** A valid JSON body of the operation; undefined if it has none. */
export function validBody(name: string, { contentId, leaseId }: Scene, webhookUrl: string): Json {
  const bodies: Readonly<Record<string, Json>> = {
    'POST /api/v1/setup': { name: 'First' },
    'POST /api/v1/api-keys': { name: 'Key', scope: 'playback' },
    'PATCH /api/v1/api-keys/{id}': { name: 'Renamed' },
    'POST /api/v1/api-keys/{id}/rotate': { overlapSeconds: 3_600 },
    'POST /api/v1/webhooks': { name: 'Hook', url: webhookUrl, events: ['lease.limit-reached'] },
    'PATCH /api/v1/webhooks/{id}': { name: 'Renamed' },
    'POST /api/v1/webhooks/{id}/rotate-secret': {},
    'POST /api/v1/webhooks/{id}/test': {},
    'POST /api/v1/webhooks/{id}/deliveries/{deliveryId}/replay': {},
    'POST /api/v1/content': { id: contentId, name: 'Again' },
    'PATCH /api/v1/content/{id}': { name: 'Renamed' },
    'POST /api/v1/player-metrics': playerMetrics,
    'POST /keys/leases': { contentId },
    'POST /keys/sessions': { contentId: 'film' },
    'POST /keys/leases/renew': { leaseId },
    'POST /keys/leases/revoke': { leaseId },
    'POST /licenses/clearkey/{contentId}': {
      kids: [Buffer.from(kid.replaceAll('-', ''), 'hex').toString('base64url')],
    },
    'POST /api/v1/key-decisions': { contentId, viewerId: 'ada' },
    'PUT /api/v1/viewers/{viewerId}/block': { reason: 'Shared' },
    'POST /presign': { key: `content/${contentId}/seg-0.ts`, contentType: 'video/mp2t' },
  };
  return bodies[name];
}

/** The request of an operation, without a credential. */
export function validRequest(operation: Operation, scene: Scene, webhookUrl: string): Request {
  const { name, method, path } = operation;
  const target = `${fillPath(path, scene.ids)}${queries[name] ?? ''}`;
  const json = validBody(name, scene, webhookUrl);
  if (json !== undefined) return { method, target, ...jsonBody(json) };
  if (name.startsWith('PUT /api/v1/content/{id}/keys'))
    return { method, target, headers: ['content-type: application/octet-stream'], body: '0123456789abcdef' };
  const version = /^POST \/speke\/v(\d)/.exec(name)?.[1];
  if (version === undefined) return { method, target };
  const headers = ['content-type: application/xml', 'x-speke-version: 2.0'];
  return { method, target, headers, body: speke(version === '1' ? 1 : 2, scene.contentId) };
}
