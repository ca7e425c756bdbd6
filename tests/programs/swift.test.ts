import { request } from 'node:http';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { createApiKey, registerContent } from '@latchkey/support/black-box/server-actions';
import { areContainers, type OwnServer, startServer } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { uploadSettings } from '@latchkey/support/black-box/upload-settings';
import { afterAll, describe, expect, it } from 'vitest';
import { startSwiftStore } from './swift-store.ts';

const bytes = Buffer.from('a segment of video');

const isInstalled = process.env.SWIFT_PATH !== undefined;
/** Ten minutes behind, so that URLs of five minutes have expired for everybody else. */
const slowClock = `--import=${import.meta.resolve('@latchkey/support/shift-clock')}?by=-600000`;

async function openScene() {
  const store = await startSwiftStore();
  const { endpoint, region, accessKeyId, secretAccessKey } = store;
  const credentials = { accessKeyId, secretAccessKey };
  const reader = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  afterAll(async () => {
    reader.destroy();
    await store.close();
  });
  const [server, late] = await Promise.all([
    startServer(uploadSettings(store)),
    areContainers ? null : startServer({ ...uploadSettings(store), NODE_OPTIONS: slowClock }),
  ]);
  return { store, reader, server, late };
}

// Vitest also runs the body of a suite that it skips, so nothing may be started there.
const scene = (isInstalled ? await openScene() : {}) as Awaited<ReturnType<typeof openScene>>;

describe.skipIf(!isInstalled)('an independent store that verifies signatures', () => {
  const { store, reader, server, late } = scene;

  async function presign(from: OwnServer, body: Record<string, unknown> = {}) {
    const contentId = await registerContent(from);
    const { raw } = await createApiKey(from, 'upload');
    const key = `content/${contentId}/${unique('file')} é+%.ts`;
    const asked = { key, contentType: 'video/mp2t', contentLength: bytes.length, ...body };
    const { status, json } = await from.client.post('/presign', raw, asked);
    expect(status, JSON.stringify(json)).toBe(200);
    from.client.credentials.add(new URL(json.url).searchParams.get('X-Amz-Signature') ?? '');
    return { key, url: json.url as string, headers: json.headers as Record<string, string> };
  }

  async function read(key: string): Promise<Buffer> {
    const { Body } = await reader.send(new GetObjectCommand({ Bucket: store.bucket, Key: key }));
    return Buffer.from((await Body?.transformToByteArray()) ?? []);
  }

  it.each([
    ['of an announced length', {}],
    ['of any length', { contentLength: undefined }],
  ])('Swift accepts a presigned upload %s, byte for byte', async (_, body) => {
    const { key, url, headers } = await presign(server, body);
    expect(await put(url, headers)).toEqual({ status: 200, code: null });
    expect(await read(key)).toEqual(bytes);
  });

  it.each<[string, (given: { url: string; headers: Record<string, string> }) => ReturnType<typeof put>]>([
    ['of another content type', ({ url, headers }) => put(url, { ...headers, 'Content-Type': 'text/html' })],
    ['of another length', ({ url }) => put(url, { 'Content-Type': 'video/mp2t' }, `${bytes} and more`)],
    ['under another key', ({ url, headers }) => put(url.replace('/file-', '/other-'), headers)],
    [
      'for longer than was signed',
      ({ url, headers }) => put(url.replace('Expires=300', 'Expires=3000'), headers),
    ],
    [
      'by another signature',
      ({ url, headers }) => put(url.replace(/Signature=..../, 'Signature=0000'), headers),
    ],
  ])('Swift refuses a presigned upload %s', async (_, send) => {
    const given = await presign(server);
    expect(await send(given)).toEqual({ status: 403, code: 'SignatureDoesNotMatch' });
    await expect(read(given.key)).rejects.toMatchObject({ name: 'NoSuchKey' });
  });

  it('Swift refuses an expired presigned upload, even if its signature is right', async ({ skip }) => {
    if (!late) return skip('the clock of a container is the clock of this machine');
    const given = await presign(late);
    expect(await put(given.url, given.headers)).toEqual({ status: 403, code: 'AccessDenied' });
    await expect(read(given.key)).rejects.toMatchObject({ name: 'NoSuchKey' });
  });
});

/** Sends exactly these headers, and the length of the body. */
function put(
  url: string,
  headers: Record<string, string>,
  body: Buffer | string = bytes,
): Promise<{ status: number; code: string | null }> {
  return new Promise((resolve, reject) => {
    const length = { 'Content-Length': String(Buffer.byteLength(body)) };
    const sent = request(url, { method: 'PUT', headers: { ...headers, ...length } }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, code: /<Code>(\w+)</.exec(text)?.[1] ?? null });
      });
    });
    sent.on('error', reject).end(body);
  });
}
