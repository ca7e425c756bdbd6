import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { registerContent } from '@latchkey/support/black-box/server-actions';
import { makeFolder } from '@latchkey/support/black-box/server-process';
import { areContainers, openShared, startServer } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { uploadsOn } from '@latchkey/support/black-box/upload-settings';
import { compileCache } from '@latchkey/support/processes/spawn-entry';
import { repositoryFolder } from '@latchkey/support/repository';
import { viewerToken } from '@latchkey/support/tokens';
import { afterAll, expect, it } from 'vitest';

const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '', ...plain } = uploadsOn;
const secrets = { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY };
const contentService = join(repositoryFolder, 'services/content/src/serve.ts');
/** The variables of the content service. It connects to the database only after it has read its configuration. */
const service = {
  ENABLE_PRESIGN: 'true',
  ALLOW_ANONYMOUS_VIEWERS: 'true',
  INTERNAL_SECRET: 'f'.repeat(64),
  DATABASE_URL: 'postgres://nobody@127.0.0.1:9/nothing',
};

// The rules themselves are tested in `shared/src/config`, and the single node has them in configuration.test.ts.
it('the content service with ENABLE_PRESIGN=true, without a bucket and with anonymous viewers ends, and names each variable', () => {
  const { status, stderr } = spawnSync(process.execPath, [contentService], {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: compileCache, ...service },
    encoding: 'utf8',
    timeout: 60_000,
  });
  expect(status).toBe(1);
  for (const name of ['S3_BUCKET', 'S3_REGION', ...Object.keys(secrets)])
    expect(stderr).toContain(`${name} is not set`);
  expect(stderr).toContain('ENABLE_PRESIGN is true without viewer tokens');
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
