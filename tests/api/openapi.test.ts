import { readFileSync } from 'node:fs';
import { get, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { openTarget } from '@latchkey/support/black-box/target';
import { repositoryFolder } from '@latchkey/support/repository';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, it } from 'vitest';

const { client, url: baseUrl } = await openTarget();
const { document, operations } = client.api;

/** Names of functions in clients. A released one never changes. */
const operationIds: Record<string, string> = {
  'DELETE /api/v1/api-keys/{id}': 'revokeApiKey',
  'DELETE /api/v1/content/{id}': 'disableContent',
  'DELETE /api/v1/content/{id}/keys': 'removeImportedContentKey',
  'DELETE /api/v1/content/{id}/keys/{epoch}': 'removeImportedContentKeyOfEpoch',
  'DELETE /api/v1/marks/{id}': 'liftMark',
  'DELETE /api/v1/viewers/{viewerId}/block': 'unblockViewer',
  'DELETE /api/v1/webhooks/{id}': 'deleteWebhook',
  'GET /api/v1/api-keys': 'listApiKeys',
  'GET /api/v1/api-keys/current': 'getCurrentApiKey',
  'GET /api/v1/api-keys/{id}': 'getApiKey',
  'GET /api/v1/audit': 'listAuditRecords',
  'GET /api/v1/audit/export': 'exportAuditRecords',
  'GET /api/v1/content': 'listContents',
  'GET /api/v1/content/{id}': 'getContent',
  'GET /api/v1/content/{id}/cpix': 'getCpixDocument',
  'GET /api/v1/content/{id}/key-info': 'getKeyInfo',
  'GET /api/v1/content/{id}/keys': 'exportContentKeys',
  'GET /api/v1/content/{id}/vod-drm': 'getVodDrmKeys',
  'GET /api/v1/events': 'streamEvents',
  'GET /api/v1/leases': 'listLeases',
  'GET /api/v1/leases/{id}': 'getLease',
  'GET /api/v1/marks': 'listMarks',
  'GET /api/v1/setup': 'getSetup',
  'GET /api/v1/statistics': 'getStatistics',
  'GET /api/v1/usage': 'getUsage',
  'GET /api/v1/viewers': 'listViewers',
  'GET /api/v1/viewers/blocks': 'listViewerBlocks',
  'GET /api/v1/viewers/{viewerId}/block': 'getViewerBlock',
  'GET /api/v1/webhooks': 'listWebhooks',
  'GET /api/v1/webhooks/{id}': 'getWebhook',
  'GET /api/v1/webhooks/{id}/deliveries': 'listWebhookDeliveries',
  'GET /health': 'getHealth',
  'GET /keys/{contentId}': 'getContentKey',
  'GET /keys/{contentId}/kid/{kid}': 'getContentKeyByKid',
  'GET /keys/{contentId}/{epoch}': 'getContentKeyOfEpoch',
  'GET /play/{sid}/{name}': 'getSessionPlaylist',
  'GET /ready': 'getReadiness',
  'GET /speke/v1.0/heartbeat': 'getSpekeHeartbeat',
  'PATCH /api/v1/api-keys/{id}': 'updateApiKey',
  'PATCH /api/v1/content/{id}': 'updateContent',
  'PATCH /api/v1/webhooks/{id}': 'updateWebhook',
  'POST /api/v1/api-keys': 'createApiKey',
  'POST /api/v1/api-keys/{id}/rotate': 'rotateApiKey',
  'POST /api/v1/content': 'registerContent',
  'POST /api/v1/key-decisions': 'explainContentKey',
  'POST /api/v1/player-metrics': 'reportPlayerMetrics',
  'POST /api/v1/setup': 'claimSetup',
  'POST /api/v1/webhooks': 'createWebhook',
  'POST /api/v1/webhooks/{id}/deliveries/{deliveryId}/replay': 'replayWebhookDelivery',
  'POST /api/v1/webhooks/{id}/rotate-secret': 'rotateWebhookSecret',
  'POST /api/v1/webhooks/{id}/test': 'testWebhook',
  'POST /keys/leases': 'createLease',
  'POST /keys/leases/renew': 'renewLease',
  'POST /keys/leases/revoke': 'revokeLeases',
  'POST /keys/sessions': 'createSession',
  'POST /licenses/clearkey/{contentId}': 'issueClearKeyLicense',
  'POST /presign': 'presignUpload',
  'POST /speke/v1.0/copyProtection': 'fillSpeke1Document',
  'POST /speke/v2.0/copyProtection': 'fillSpeke2Document',
  'PUT /api/v1/content/{id}/key-info': 'getKeyInfoByPut',
  'PUT /api/v1/content/{id}/keys': 'importContentKey',
  'PUT /api/v1/content/{id}/keys/{epoch}': 'importContentKeyOfEpoch',
  'PUT /api/v1/viewers/{viewerId}/block': 'blockViewer',
  'PUT /keys/{contentId}': 'getContentKeyByPut',
  'PUT /keys/{contentId}/{epoch}': 'getContentKeyOfEpochByPut',
};

/** Names of types in clients. A released one never changes. */
const resourceNames = [
  'ApiKey',
  'AuditRecord',
  'ClockPeriods',
  'Content',
  'CurrentApiKey',
  'Lease',
  'Mark',
  'NewApiKey',
  'Problem',
  'Scope',
  'SequencePeriods',
  'Session',
  'Statistics',
  'Usage',
  'Viewer',
  'ViewerBlock',
  'Webhook',
  'WebhookDelivery',
];

interface RawAnswer {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

const readRaw = (url: string, headers: OutgoingHttpHeaders) =>
  new Promise<RawAnswer>((resolve, reject) => {
    get(url, { headers }, (answer) => {
      const { statusCode: status, headers } = answer;
      buffer(answer).then((body) => resolve({ status, headers, body }), reject);
    }).on('error', reject);
  });

it('GET /openapi.json is a valid OpenAPI 3.1 document', async () => {
  const { json } = await client.get('/openapi.json');
  expect(json.openapi).toMatch(/^3\.1\./);
  const validator = new Validator();
  const result = await validator.validate(json);
  expect(result.errors ?? []).toEqual([]);
  expect([result.valid, validator.version]).toEqual([true, '3.1']);
});

it('GET /openapi.json is sent compressed to a reader that takes that, and not at all to one that has it', async () => {
  // Not fetch: it hides the coding.
  const read = (headers: OutgoingHttpHeaders) => readRaw(`${baseUrl}/openapi.json`, headers);
  const [plain, compressed] = [await read({}), await read({ 'accept-encoding': 'gzip' })];
  expect(compressed.headers).toMatchObject({ 'content-encoding': 'gzip', 'cache-control': 'no-cache' });
  expect(compressed.headers.vary).toContain('Accept-Encoding');
  expect(gunzipSync(compressed.body)).toEqual(plain.body);
  for (const { headers } of [plain, compressed]) {
    const encoding = headers['content-encoding'];
    const answer = await read({
      'if-none-match': headers.etag,
      ...(encoding && { 'accept-encoding': encoding }),
    });
    expect([answer.status, answer.body.length, answer.headers.etag]).toEqual([304, 0, headers.etag]);
  }
});

it('every operation of the OpenAPI document has the id that clients generate their functions from', () => {
  const ids = operations.map((operation) => {
    const [method = '', path = ''] = operation.split(' ');
    return [operation, document.paths[path]?.[method.toLowerCase()]?.operationId];
  });
  const upload = 'POST /presign';
  const { [upload]: _, ...withoutUploads } = operationIds;
  expect(Object.fromEntries(ids)).toEqual(operations.includes(upload) ? operationIds : withoutUploads);
  expect(new Set(Object.values(operationIds)).size).toBe(Object.keys(operationIds).length);
});

it('the resources of the OpenAPI document are schemas with a name, and every reference leads to one', () => {
  const { schemas } = document.components;
  expect(Object.keys(schemas)).toEqual(resourceNames);
  const referred = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g)].map(([, ref]) => ref);
  expect([...new Set(referred)].sort()).toEqual(resourceNames.map((name) => `#/components/schemas/${name}`));
});

it('docs/reference/contract.md names every path of the OpenAPI document', () => {
  const contract = readFileSync(join(repositoryFolder, 'docs/reference/contract.md'), 'utf8');
  const paths = Object.keys(document.paths).map((path) => path.replaceAll(/\{(\w+)\}/g, ':$1'));
  expect(paths.filter((path) => !contract.includes(path))).toEqual([]);
});

it.each(operations)(
  '%s has a summary, a tag, a success, its errors as problems, and a 401 exactly if it needs a credential',
  (operation) => {
    const [method = '', path = ''] = operation.split(' ');
    const described = document.paths[path]?.[method.toLowerCase()] as unknown as Record<string, unknown>;
    const responses = (described.responses ?? {}) as Record<string, { content?: Record<string, unknown> }>;
    expect(described.summary).toMatch(/\S/);
    expect(described.tags).toHaveLength(1);
    const statuses = Object.keys(responses);
    expect(statuses.some((status) => status.startsWith('2'))).toBe(true);
    for (const status of statuses.filter((code) => Number(code) >= 400 && path !== '/ready'))
      expect([status, Object.keys(responses[status]?.content ?? {})]).toEqual([
        status,
        ['application/problem+json'],
      ]);
    // Setup needs a credential only in some situations. The path of a session's playlist is the credential.
    if (!['/api/v1/setup', '/play/{sid}/{name}'].includes(path))
      expect('401' in responses).toBe(described.security !== undefined);
  },
);

it('the OpenAPI document names the scopes and the viewer token of which one opens a route', () => {
  const rolesOf = (path: string, method: string) => document.paths[path]?.[method]?.security;
  const roles = (...names: string[]) => names.map((name) => ({ credential: [name] }));
  expect(rolesOf('/api/v1/audit', 'get')).toEqual(roles('admin', 'full'));
  expect(rolesOf('/keys/leases/renew', 'post')).toEqual(roles('admin', 'full', 'viewer'));
  expect(rolesOf('/api/v1/player-metrics', 'post')).toEqual(roles('viewer'));
  expect(rolesOf('/health', 'get')).toBeUndefined();
});
