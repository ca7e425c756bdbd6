import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { type Answer, outcomeOf } from '@latchkey/support/black-box/answer';
import { createApiKey, registerContent } from '@latchkey/support/black-box/server-actions';
import { openShared, startServer } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { uploadSettings } from '@latchkey/support/black-box/upload-settings';
import { startS3Server } from '@latchkey/support/stores/s3-server';
import { viewerToken } from '@latchkey/support/tokens';
import { afterAll, expect, it } from 'vitest';

// Uploads against a store that checks every signature as S3 does.
const origin = 'https://upload.example.com';
let storeNowMs: number | null = null;
const store = await startS3Server({ now: () => storeNowMs ?? Date.now() });
afterAll(() => store.close());
const ownStore = !process.env.TEST_S3_ENDPOINT;

// Its own, because its store is of this file.
const server = await startServer({ ...uploadSettings(store), CORS_ORIGINS: origin });
/** Without UPLOAD_BUCKET. */
const off = await openShared('any-content');
const { client, jwtSecret } = server;
const contentId = await registerContent(server);
const uploader = (await createApiKey(server, 'upload')).raw;
// At the end of the file the server's output is searched for it.
client.credentials.add(store.secretAccessKey);

interface Presigned {
  url: string;
  headers: Record<string, string>;
  expires_at: string;
}

function ask(body: Record<string, unknown>, as = uploader): Promise<Answer> {
  return client.post('/presign', as, { contentType: 'video/mp2t', ...body });
}

/** Gets a URL for a new object. Its signature is a secret: at the end of the file the server's output is searched for it. */
async function presign(body: Record<string, unknown> = {}): Promise<Presigned & { key: string }> {
  const key = `content/${contentId}/${unique('file')}.ts`;
  const { status, json } = await ask({ key, ...body });
  expect(status, JSON.stringify(json)).toBe(200);
  client.credentials.add(new URL(json.url).searchParams.get('X-Amz-Signature') ?? '');
  return { key, ...body, ...json };
}

/** Sends exactly these headers, to exactly this URL. */
function put(
  url: string,
  headers: Record<string, string>,
  body: Buffer | string = '',
  method = 'PUT',
): Promise<{ status: number; etag: string | undefined }> {
  return new Promise((resolve, reject) => {
    const length = { 'Content-Length': String(Buffer.byteLength(body)) };
    const sent = request(url, { method, headers: { ...length, ...headers } }, (response) => {
      response.resume().on('end', () => {
        resolve({ status: response.statusCode ?? 0, etag: response.headers.etag });
      });
    });
    sent.on('error', reject).end(body);
  });
}

/** The object with this key in the bucket; null if it does not exist. */
async function stored(
  key: string,
): Promise<{ bytes: Buffer; type: string | null; cacheControl: string | null } | null> {
  const path = key.split('/').map(encodeURIComponent).join('/');
  const response = await fetch(`${store.endpoint}/${store.bucket}/${path}`);
  const bytes = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200) return null;
  const header = (name: string) => response.headers.get(name);
  return { bytes, type: header('content-type'), cacheControl: header('cache-control') };
}

it.each([
  ['of an announced length', true],
  ['of any length', false],
])('an upload %s arrives byte for byte, with its type', async (_, isAnnounced) => {
  const bytes = Buffer.from(Array.from({ length: 70_000 }, (_byte, i) => i % 251));
  const { url, headers, key, expires_at } = await presign(isAnnounced ? { contentLength: bytes.length } : {});
  const { status, etag } = await put(url, headers, bytes);
  expect([status, etag]).toEqual([200, `"${createHash('md5').update(bytes).digest('hex')}"`]);
  expect(await stored(key)).toMatchObject({ bytes, type: 'video/mp2t' });
  const lifeMs = Date.parse(expires_at) - Date.now();
  expect(lifeMs).toBeGreaterThan(270_000);
  expect(lifeMs).toBeLessThanOrEqual(300_000);
});

it('an upload may be empty', async () => {
  const { url, headers, key } = await presign({ contentLength: 0 });
  expect((await put(url, headers)).status).toBe(200);
  expect((await stored(key))?.bytes.length).toBe(0);
});

it('an upload by fetch needs only the headers of the answer', async () => {
  const { url, headers, key } = await presign({ contentLength: 5, contentType: 'text/vtt; charset=utf-8' });
  const response = await fetch(url, { method: 'PUT', headers, body: Buffer.from('hello') });
  expect(response.status).toBe(200);
  expect((await stored(key))?.type).toBe('text/vtt; charset=utf-8');
});

it.each(['public, max-age=31536000, immutable', 'public, max-age=60', 'no-cache'])(
  'an object that is uploaded with the Cache-Control %s has it',
  async (cacheControl) => {
    const { url, headers, key } = await presign({ cacheControl });
    expect(headers['Cache-Control']).toBe(cacheControl);
    expect(new URL(url).searchParams.get('X-Amz-SignedHeaders')).toContain('cache-control');
    expect((await put(url, headers, 'x')).status).toBe(200);
    expect((await stored(key))?.cacheControl).toBe(cacheControl);
  },
);

it.each([
  "a b+c&d=e?f#g(h)'i!j*k~l@m:n;o,p$q.ts",
  '100%.ts',
  'a%20b.ts',
  'Größe/日本語/🎬.mp4',
  'e\u0301 and \u00e9.ts',
  '...',
  '"<a href=x>".ts',
])('an upload to the key %j is stored under exactly that key', async (name) => {
  const { url, headers, key } = await presign({ key: `content/${contentId}/${unique('x')}/${name}` });
  expect((await put(url, headers, name)).status).toBe(200);
  expect((await stored(key))?.bytes.toString()).toBe(name);
});

const type = 'video/mp2t';

it.each([
  ['another content type', { 'Content-Type': 'text/html' }],
  ['no content type', { 'Content-Type': undefined }],
  ['another Cache-Control', { 'Cache-Control': 'public, max-age=61' }],
  ['no Cache-Control', { 'Cache-Control': undefined }],
  ['a header that would change who may read', { 'x-amz-acl': 'public-read' }],
] as const)('the store refuses an upload with %s', async (_, wrong) => {
  const { url, headers, key } = await presign({ contentLength: 5, cacheControl: 'public, max-age=60' });
  const sent = Object.entries({ ...headers, ...wrong }).filter(([, value]) => value !== undefined);
  expect((await put(url, Object.fromEntries(sent) as Record<string, string>, 'hello')).status).toBe(403);
  expect(await stored(key)).toBeNull();
});

it.each(['hell', 'hello!', ''])(
  'the store refuses an upload of another length than 5 bytes: %j',
  async (body) => {
    const { url, key } = await presign({ contentLength: 5 });
    expect((await put(url, { 'Content-Type': type }, body)).status).toBe(403);
    expect(await stored(key)).toBeNull();
  },
);

it('the store refuses an upload with another key, query, method or signature', async () => {
  const { url, headers, key } = await presign();
  const similar = key.replace(contentId, `${contentId}x`);
  const wrong = [
    url.replace(key, similar),
    url.replace(key, `${key}x`),
    url.replace('X-Amz-Expires=300', 'X-Amz-Expires=3000'),
    `${url}&partNumber=1`,
    url.replace(/(X-Amz-Signature=)[0-9a-f]{64}/, `$1${'0'.repeat(64)}`),
    url.split('?')[0] ?? '',
  ];
  for (const other of wrong) expect([other, (await put(other, headers, 'x')).status]).toEqual([other, 403]);
  expect((await put(url, headers, '', 'DELETE')).status).toBe(403);
  expect([await stored(key), await stored(similar)]).toEqual([null, null]);
});

it.skipIf(!ownStore)('the store refuses an upload with an expired URL', async () => {
  const { url, headers, key, expires_at } = await presign();
  const endMs = Date.parse(expires_at);
  storeNowMs = endMs + 1_000;
  const late = await put(url, headers, 'x');
  storeNowMs = endMs - 1_000;
  const early = await put(url, headers, 'x');
  storeNowMs = null;
  expect([late.status, early.status]).toEqual([403, 200]);
  expect((await stored(key))?.bytes.toString()).toBe('x');
});

const key = `content/${contentId}/1.ts`;
const word = async (answer: Promise<Answer>) => outcomeOf(await answer);
const viewer = (claims: Record<string, unknown>) => viewerToken(jwtSecret, unique('viewer'), claims);

it('a viewer gets an upload URL with `upload` in its scope claim, within its content claim', async () => {
  expect(await word(ask({ key }, viewer({ scope: 'upload' })))).toBe('200');
  expect(await word(ask({ key }, viewer({ scope: 'play upload', content_ids: [contentId] })))).toBe('200');
  expect(await word(ask({ key }, viewer({ scope: 'play' })))).toBe('403 INSUFFICIENT_SCOPE');
  expect(await word(ask({ key }, viewer({ scope: 'upload', content_ids: ['x'] })))).toBe(
    '403 CONTENT_NOT_ENTITLED',
  );
});

it('an upload URL is only for content that is registered and active', async () => {
  const other = await registerContent(server);
  const theirs = { key: `content/${other}/1.ts` };
  expect(await word(ask(theirs))).toBe('200');
  await client.call('DELETE', `/api/v1/content/${other}`, { as: server.adminApiKey });
  expect(await word(ask(theirs, server.adminApiKey))).toBe('404 CONTENT_NOT_FOUND');
  expect(await word(ask({ key: `content/${unique('none')}/1.ts` }))).toBe('404 CONTENT_NOT_FOUND');
});

const wrongKeys = [
  `content/${contentId}/`,
  `content/${contentId}//1.ts`,
  `content/${contentId}/../x/1.ts`,
  `content/${contentId}/./1.ts`,
  `content/${contentId}/%2e%2e/x/1.ts`,
  `content/${contentId}/..%2fx/1.ts`,
  `content/${contentId}/%252e%252e/x/1.ts`,
  `content/${contentId}/..\\x\\1.ts`,
  `content/${contentId}/a\nb.ts`,
  `content/${contentId}/a\0.ts`,
  `content/${contentId}/\ud800.ts`,
  `content/${contentId}/${'ü'.repeat(600)}.ts`,
  `/content/${contentId}/1.ts`,
  `video/${contentId}/1.ts`,
  'content/leases/1.ts',
  '',
];
it.each<Record<string, unknown>>([
  ...wrongKeys.map((wrong) => ({ key: wrong })),
  ...['video', '*/*', 'video/mp2t\r\nx-amz-acl: public-read', 'vidéo/mp4', ''].map((contentType) => ({
    contentType,
  })),
  ...[-1, 0.5, '5', null, 5 * 1024 ** 3 + 1].map((contentLength) => ({ contentLength })),
  ...[
    '',
    'private',
    'no-cache, no-store',
    'public,max-age=60',
    'public, max-age=-1',
    'no-cache\r\nx-amz-acl: a',
    60,
  ].map((cacheControl) => ({ cacheControl })),
  ...[{ acl: 'public-read' }, { key: undefined }, { contentType: undefined }],
])('a request for an upload with the members %j gets 400', async (members) => {
  expect(await word(ask({ key, ...members }))).toBe('400 VALIDATION_FAILED');
});

it('an upload may have 5 GiB', async () => {
  expect(await word(ask({ key, contentLength: 5 * 1024 ** 3 }))).toBe('200');
});

it('the audit has who requested an upload URL for which object', async () => {
  const answers = [await ask({ key }), await ask({ key: `content/${unique('none')}/1.ts` })];
  const { json } = await client.get('/api/v1/audit?action=upload.presign', server.adminApiKey);
  const rows = answers.map(({ requestId }) =>
    json.audit.find((row: { requestId: string }) => row.requestId === requestId),
  );
  expect(rows).toMatchObject([
    { outcome: 'done', target: key, code: null, actor: { kind: 'api-key' } },
    { outcome: 'refused', code: 'CONTENT_NOT_FOUND', actor: { kind: 'api-key' } },
  ]);
  expect(JSON.stringify(json)).not.toContain('X-Amz-');
});

it('a page of a listed origin can request an upload URL, and the bucket lets it upload', async () => {
  const preflight = await client.call('OPTIONS', '/presign', {
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type',
    },
  });
  expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([204, origin]);
  const answer = await client.call('POST', '/presign', {
    as: uploader,
    headers: { origin },
    json: { key: `content/${contentId}/cors.ts`, contentType: 'video/mp2t' },
  });
  expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([200, origin]);
  const asked = await fetch(answer.json.url, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'content-type,cache-control',
    },
  });
  expect(asked.status).toBe(200);
  expect(asked.headers.get('access-control-allow-methods')).toContain('PUT');
});

it('without ENABLE_PRESIGN, POST /presign gets 404', async () => {
  const json = { key: `content/${contentId}/1.ts`, contentType: 'video/mp2t' };
  for (const as of [off.adminApiKey, undefined])
    expect((await off.client.post('/presign', as, json)).code).toBe('NOT_FOUND');
});

it('the OpenAPI document has POST /presign only with ENABLE_PRESIGN', () => {
  expect(off.client.api.operations).not.toContain('POST /presign');
  expect(client.api.operations).toContain('POST /presign');
});

it('GET /presign gets 405 with Allow: POST', async () => {
  const answer = await client.get('/presign', uploader);
  expect([answer.status, answer.headers.allow]).toEqual([405, 'POST']);
});
