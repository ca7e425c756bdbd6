import { signToken } from '@latchkey/rig/tokens';
import { Secret } from '@latchkey/shared/config';
import { databaseKinds, type TestDatabase, testTokenSecret } from '@latchkey/shared/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { keys, serveContents } from '../content-service.fixture.ts';

const uploadStore = {
  bucket: 'videos',
  region: 'eu-central-1',
  endpoint: null,
  forcePathStyle: false,
  accessKeyId: new Secret('AKIAIOSFODNN7EXAMPLE'),
  secretAccessKey: new Secret('wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'),
};

describe.each(databaseKinds(process.env))('POST /presign on $name', ({ open }) => {
  let database: TestDatabase;
  let service: Awaited<ReturnType<typeof serveContents>>;
  beforeEach(async () => {
    database = await open();
    service = await serveContents(database.db, { uploadStore });
    for (const id of ['film', 'other']) await service.ask('POST', '', { id, name: id });
  });
  afterEach(async () => {
    await service.app.close();
    await database.close();
  });

  const upload = { key: 'content/film/1.ts', contentType: 'video/mp2t', contentLength: 5 };
  const viewer = (claims: Record<string, unknown>) => {
    const iat = Math.floor(service.clock.now() / 1_000);
    return signToken(testTokenSecret, { sub: 'uploader', iat, exp: iat + 900, ...claims });
  };
  const auditRows = () =>
    database.db
      .selectFrom('audit')
      .select(['actor_kind', 'actor_id', 'action', 'target', 'outcome', 'code'])
      .where('action', '=', 'upload.presign')
      .orderBy('number')
      .execute();
  const refusal = ({ status, body }: { status: number; body: { code: string } }) => `${status} ${body.code}`;

  test('POST /presign returns 200 with a URL for this object, type and length, valid for 300 s', async () => {
    service.clock.advance(1_234);
    const { status, body } = await service.presign(upload);
    expect(status).toBe(200);
    expect(body).toEqual({
      url: expect.any(String),
      method: 'PUT',
      headers: { 'Content-Type': 'video/mp2t', 'Content-Length': '5' },
      expires_at: '2026-01-01T00:05:01.000Z',
    });
    const url = new URL(body.url);
    expect(url.origin + url.pathname).toBe('https://videos.s3.eu-central-1.amazonaws.com/content/film/1.ts');
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
      'X-Amz-Credential': 'AKIAIOSFODNN7EXAMPLE/20260101/eu-central-1/s3/aws4_request',
      'X-Amz-Date': '20260101T000001Z',
      'X-Amz-Expires': '300',
      'X-Amz-SignedHeaders': 'content-length;content-type;host',
    });
    expect(body.url).not.toContain('checksum');
  });

  test.each([
    ['viewer', 'uploader', ''],
    ['content', '', 'film'],
    ['pair', 'uploader', 'film'],
  ])(
    'POST /presign returns 403 TOKEN_REVOKED to a viewer token from before a revocation of the %s',
    async (_, viewer_id, content_id) => {
      const token = viewer({ scope: 'upload' });
      expect((await service.presign(upload, token)).status).toBe(200);
      await database.db
        .insertInto('marks')
        .values({ viewer_id, content_id, marked_at: service.clock.now() })
        .execute();
      expect(refusal(await service.presign(upload, token))).toBe('403 TOKEN_REVOKED');
      expect((await service.presign({ ...upload, key: 'content/other/1.ts' }, token)).status).toBe(
        content_id === 'film' ? 200 : 403,
      );
      // Later than the tolerance for clocks that differ.
      service.clock.advance(11_000);
      expect((await service.presign(upload, viewer({ scope: 'upload' }))).status).toBe(200);
      expect((await service.presign(upload)).status).toBe(200);
    },
  );

  test('POST /presign without a length allows any length, and accepts lengths from 0 to 5 GiB', async () => {
    const open = await service.presign({ key: upload.key, contentType: upload.contentType });
    expect(open.body.headers).toEqual({ 'Content-Type': 'video/mp2t' });
    expect(open.body.url).toContain('X-Amz-SignedHeaders=content-type%3Bhost');
    for (const contentLength of [0, 5_368_709_120]) {
      const { body } = await service.presign({ ...upload, contentLength });
      expect(body.headers['Content-Length']).toBe(String(contentLength));
      expect(body.url).toContain('X-Amz-SignedHeaders=content-length%3Bcontent-type%3Bhost');
    }
  });

  test('the path of a presigned URL is the upload key, byte for byte', async () => {
    for (const name of [
      "ü b+c&d=e?f#g(h)'i!j*k~l@m:n",
      '100%',
      'a%20b',
      'é',
      'e\u0301',
      '🎬/日本.ts',
      '...',
    ]) {
      const { status, body } = await service.presign({ ...upload, key: `content/film/${name}` });
      expect([name, status]).toEqual([name, 200]);
      expect(decodeURIComponent(new URL(body.url).pathname)).toBe(`/content/film/${name}`);
      expect(new URL(body.url).href).toBe(body.url);
    }
  });

  test('a presigned URL has the bucket in the host name or in the path of the configured endpoint', async () => {
    for (const [forcePathStyle, start] of [
      [true, 'http://minio.example:9000/videos/content/film/1.ts?'],
      [false, 'http://videos.minio.example:9000/content/film/1.ts?'],
    ] as const) {
      const store = { ...uploadStore, endpoint: 'http://minio.example:9000', forcePathStyle };
      const other = await serveContents(database.db, { uploadStore: store });
      expect((await other.presign(upload)).body.url.startsWith(start)).toBe(true);
      await other.app.close();
    }
  });

  test('each presigned URL of an API key is audited with its object, and without the URL', async () => {
    await service.presign(upload, keys.admin);
    const row = { action: 'upload.presign', outcome: 'done', code: null };
    expect(await auditRows()).toEqual([
      { ...row, actor_kind: 'api-key', actor_id: 'id-of-admin', target: 'content/film/1.ts' },
    ]);
  });

  test('presigned URLs of a viewer leave no row in the audit, however many it gets or is refused', async () => {
    const token = viewer({ scope: 'play upload' });
    for (let n = 0; n < 20; n++) {
      const { status } = await service.presign({ ...upload, key: `content/film/${n}.ts` }, token);
      expect(status).toBe(200);
      await service.presign({ ...upload, key: `content/no-such-content-${n}/1.ts` }, token);
    }
    expect(await auditRows()).toEqual([]);
  });

  test('POST /presign accepts the scopes admin, full and upload, and a viewer with the scope `upload` for its contents', async () => {
    const allowed = [
      keys.admin,
      keys.full,
      keys.upload,
      viewer({ scope: 'upload' }),
      viewer({ scope: 'upload', content_ids: ['film'] }),
      viewer({ scope: 'upload', content_ids: '*' }),
    ];
    for (const credential of allowed) expect((await service.presign(upload, credential)).status).toBe(200);
  });

  test('POST /presign returns 400 for a malformed key, media type or length, and for an unknown member', async () => {
    const wrong = [
      { ...upload, key: 'content/film/../other/1.ts' },
      { ...upload, key: 'content/film/%2e%2e/other/1.ts' },
      { ...upload, key: 'video/film/1.ts' },
      { ...upload, contentType: 'video' },
      { ...upload, contentType: 'video/mp2t\r\nx-amz-acl: public-read' },
      ...[-1, 1.5, '5', null, 5_368_709_121].map((contentLength) => ({ ...upload, contentLength })),
      { key: upload.key },
      { contentType: upload.contentType },
      { ...upload, acl: 'public-read' },
    ];
    for (const body of wrong) {
      expect([body, refusal(await service.presign(body))]).toEqual([body, '400 VALIDATION_FAILED']);
    }
  });

  test('POST /presign refuses a missing credential, a playback key, a viewer without the scope and a viewer of other contents', async () => {
    expect(refusal(await service.presign(upload, 'garbage'))).toBe('401 INVALID_TOKEN');
    expect(refusal(await service.presign(upload, keys.playback))).toBe('403 INSUFFICIENT_SCOPE');
    for (const scope of [undefined, '', 'play', 'uploads', 'UPLOAD', ['upload', 1]]) {
      expect(refusal(await service.presign(upload, viewer({ scope })))).toBe('403 INSUFFICIENT_SCOPE');
    }
    const elsewhere = viewer({ scope: 'upload', content_ids: ['other'] });
    expect(refusal(await service.presign(upload, elsewhere))).toBe('403 CONTENT_NOT_ENTITLED');
    expect((await service.presign({ ...upload, key: 'content/other/1.ts' }, elsewhere)).status).toBe(200);
  });

  test('POST /presign returns 404 for a content that is not registered or is disabled, until it is active again', async () => {
    const nothing = { ...upload, key: 'content/nothing/1.ts' };
    expect(refusal(await service.presign(nothing))).toBe('404 CONTENT_NOT_FOUND');
    await service.ask('DELETE', '/film');
    expect(refusal(await service.presign(upload, keys.admin))).toBe('404 CONTENT_NOT_FOUND');
    await service.ask('PATCH', '/film', { status: 'active' });
    expect((await service.presign(upload)).status).toBe(200);
  });

  test('POST /presign returns 404 if uploads are off', async () => {
    const off = await serveContents(database.db);
    expect(refusal(await off.presign(upload, keys.admin))).toBe('404 NOT_FOUND');
    await off.app.close();
  });

  test('a refused upload of an API key is audited, and one of a viewer is in its log line', async () => {
    await service.presign(upload, keys.playback);
    await service.presign({ ...upload, key: 'content/nothing/1.ts' });
    await service.presign(upload, viewer({}));
    const rows = await auditRows();
    expect(rows.map(({ actor_id, outcome, code }) => [actor_id, outcome, code])).toEqual([
      ['id-of-playback', 'refused', 'INSUFFICIENT_SCOPE'],
      ['id-of-upload', 'refused', 'CONTENT_NOT_FOUND'],
    ]);
    expect(service.lines.at(-1)).toMatchObject({ status: 403, code: 'INSUFFICIENT_SCOPE' });
  });

  test('no log line and no message to the operator shows a signature or the secret of the bucket', async () => {
    const { body } = await service.presign(upload);
    const signature = new URL(body.url).searchParams.get('X-Amz-Signature') ?? '';
    expect(signature).toMatch(/^[0-9a-f]{64}$/);
    const written = JSON.stringify([service.lines, service.operatorLines, await auditRows()]);
    expect(written).not.toContain(signature);
    expect(written).not.toContain(uploadStore.secretAccessKey.reveal());
  });
});
