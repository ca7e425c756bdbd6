import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { complete, makeTestFolder, runToEnd } from './own-process.ts';
import { registerContent } from './server-actions.ts';
import { makeFolder } from './server-process.ts';
import { areContainers, openShared, startServer } from './target.ts';
import { unique, viewerToken } from './tokens.ts';
import { uploadsOn } from './upload-settings.ts';

const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '', ...plain } = uploadsOn;
const secrets = { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY };
const needed = ['S3_BUCKET', 'S3_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'];
const contentService = fileURLToPath(new URL('../../services/content/src/serve.ts', import.meta.url));
/** The other variables of the content service. It connects to the database only after it has read its configuration. */
const service = {
  AUTH_JWT_SECRET: 'f'.repeat(64),
  INTERNAL_SECRET: 'f'.repeat(64),
  DATABASE_URL: 'postgres://nobody@127.0.0.1:9/nothing',
};

describe.each([
  ['the single node', (env: object) => runToEnd(makeTestFolder(), { ...complete, ...env })],
  [
    'the content service',
    async (env: object) => {
      const ended = spawnSync(process.execPath, [contentService], {
        env: { PATH: process.env.PATH, ...service, ...env },
        encoding: 'utf8',
        timeout: 60_000,
      });
      return { code: ended.status, stderr: ended.stderr };
    },
  ],
])('%s does not start', (process, start) => {
  it(`with ENABLE_PRESIGN=true and without a bucket, ${process} ends and names all missing variables`, async () => {
    const { code, stderr } = await start({ ENABLE_PRESIGN: 'true' });
    expect(code).toBe(1);
    for (const name of needed) expect(stderr).toContain(`${name} is not set`);
  });

  it(`with ENABLE_PRESIGN=true and anonymous viewers, ${process} ends`, async () => {
    const { code, stderr } = await start({
      ...uploadsOn,
      AUTH_JWT_SECRET: undefined,
      ALLOW_ANONYMOUS_VIEWERS: 'true',
    });
    expect(code).toBe(1);
    expect(stderr).toContain('ENABLE_PRESIGN');
  });

  it(`with a malformed bucket, region or endpoint, ${process} ends and shows no secret`, async () => {
    const faults = { S3_BUCKET: 'my bucket', S3_REGION: 'eu/central', S3_ENDPOINT: 'minio:9000' };
    const { code, stderr } = await start({ ...uploadsOn, ...faults });
    expect(code).toBe(1);
    for (const name of Object.keys(faults)) expect(stderr).toContain(name);
    for (const secret of Object.values(secrets)) expect(stderr).not.toContain(secret);
  });
});

const limited = await openShared('rate-limited');
const folder = makeFolder();
afterAll(() => folder.remove());

it("the bucket's credentials may come from files, and other variables of the AWS SDK are ignored", async ({
  skip,
}) => {
  skip(
    areContainers,
    'the containers of compose.yaml see no file of this machine, and get none of those variables',
  );
  const files = Object.entries(secrets).map(([name, value]) => {
    const path = join(folder.path, name);
    writeFileSync(path, `${value}\n`);
    return [`${name}_FILE`, path];
  });
  const server = await startServer({
    ...plain,
    ...Object.fromEntries(files),
    // Only the bucket and the region determine where uploads go.
    S3_ENDPOINT: undefined,
    S3_FORCE_PATH_STYLE: undefined,
    AWS_ENDPOINT_URL: 'http://elsewhere.example',
    AWS_ENDPOINT_URL_S3: 'http://elsewhere.example',
    AWS_USE_FIPS_ENDPOINT: 'true',
    AWS_SESSION_TOKEN: 'of-somebody-else',
    AWS_PROFILE: 'nobody',
    AWS_REGION: 'us-west-2',
  });
  const contentId = await registerContent(server);
  const body = { key: `content/${contentId}/1.ts`, contentType: 'video/mp2t' };
  const { status, json } = await server.client.post('/presign', server.adminApiKey, body);
  expect(status).toBe(200);
  const { origin, pathname, searchParams } = new URL(json.url);
  expect(origin).toBe(`https://${plain.S3_BUCKET}.s3.${plain.S3_REGION}.amazonaws.com`);
  expect(pathname).toBe(`/${body.key}`);
  expect(searchParams.get('X-Amz-Credential')).toMatch(
    new RegExp(`^${AWS_ACCESS_KEY_ID}/\\d{8}/${plain.S3_REGION}/s3/aws4_request$`),
  );
  expect(searchParams.has('X-Amz-Security-Token')).toBe(false);
});

it('RATE_LIMIT=on allows each viewer 10 upload URLs a minute', async () => {
  const contentId = await registerContent(limited);
  const ask = (token: string, address: string) =>
    limited.client.call('POST', '/presign', {
      as: token,
      json: { key: `content/${contentId}/1.ts`, contentType: 'video/mp2t' },
      headers: { 'x-forwarded-for': address },
    });
  const newViewer = () => viewerToken(limited.jwtSecret, unique('viewer'), { scope: 'upload' });
  const [one, other] = [newViewer(), newViewer()];
  for (let n = 0; n < 10; n++) expect((await ask(one, `198.51.100.${n}`)).status).toBe(200);
  expect((await ask(one, '198.51.100.99')).code).toBe('RATE_LIMITED');
  expect((await ask(other, '198.51.100.99')).status).toBe(200);
});
