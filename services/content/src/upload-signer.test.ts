import { Secret } from '@latchkey/shared/config';
import { expect, test } from 'vitest';
import { createUploadSigner } from './upload-signer.ts';

const store = {
  bucket: 'videos',
  region: 'eu-central-1',
  accessKeyId: new Secret('AKIAIOSFODNN7EXAMPLE'),
  secretAccessKey: new Secret('wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'),
};
const upload = { key: 'content/film/1.ts', contentType: 'video/mp2t', contentLength: 5 };
const life = { signedAt: Date.UTC(2026, 0, 1, 0, 0, 1), lifetimeSeconds: 300 };

test.each([
  [null, false, 'https://videos.s3.eu-central-1.amazonaws.com/content/film/1.ts'],
  ['http://minio.example:9000', true, 'http://minio.example:9000/videos/content/film/1.ts'],
  ['http://minio.example:9000', false, 'http://videos.minio.example:9000/content/film/1.ts'],
])(
  'with the endpoint %s and S3_FORCE_PATH_STYLE=%s an upload URL is %s',
  async (endpoint, forcePathStyle, start) => {
    const url = new URL(await createUploadSigner({ ...store, endpoint, forcePathStyle })(upload, life));
    expect(url.origin + url.pathname).toBe(start);
  },
);

test('an upload URL is signed for its type, its time, and its length and Cache-Control if they are given, and for nothing else', async () => {
  const sign = createUploadSigner({ ...store, endpoint: null, forcePathStyle: false });
  const parametersOf = async (more: Partial<typeof upload> & { cacheControl?: string }) =>
    Object.fromEntries(new URL(await sign({ ...upload, ...more }, life)).searchParams);
  expect(await parametersOf({})).toEqual({
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Content-Sha256': 'UNSIGNED-PAYLOAD',
    'X-Amz-Credential': 'AKIAIOSFODNN7EXAMPLE/20260101/eu-central-1/s3/aws4_request',
    'X-Amz-Date': '20260101T000001Z',
    'X-Amz-Expires': '300',
    'X-Amz-Signature': expect.stringMatching(/^[0-9a-f]{64}$/),
    'X-Amz-SignedHeaders': 'content-length;content-type;host',
    'x-id': 'PutObject',
  });
  const signedFor = async (more: object) => (await parametersOf(more))['X-Amz-SignedHeaders'];
  expect(await signedFor({ contentLength: undefined })).toBe('content-type;host');
  expect(await signedFor({ cacheControl: 'no-cache' })).toBe(
    'cache-control;content-length;content-type;host',
  );
});
