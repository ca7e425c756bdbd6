import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { complete, makeTestFolder, runToEnd, startInTest } from '@latchkey/support/black-box/own-process';
import { secretsIn } from '@latchkey/support/black-box/request-lines';
import { makeFolder, startProcess } from '@latchkey/support/black-box/server-process';
import { masterKeyHex, saltHex } from '@latchkey/support/black-box/target';
import { viewerToken } from '@latchkey/support/tokens';
import { afterAll, expect, it } from 'vitest';

const start = (env: Record<string, string | undefined>) =>
  runToEnd(makeTestFolder(), { ...complete, ...env });

it('a faulty configuration ends the process with 1, and all its faults are reported with the accepted forms and no secret', async () => {
  const faults = {
    PORT: '99999',
    MASTER_KEY_HEX: 'c0ffee-not-hex-at-all',
    SALT_HEX: 'abcdef0123456789',
    AUTH_JWT_SECRET: 'short-and-secret',
    LEASE_MODE: 'sometimes',
    LEASE_TTL_SECONDS: '1.5',
    AUTHORITY_MAX_AGE_SECONDS: '301',
    TRUST_PROXY: 'yes',
    CORS_ORIGINS: 'https://app.example.com/path',
    RATE_LIMIT: 'true',
    CONTENT_MODE: 'all',
    VIEWER_TOKEN_FROM: 'header,body',
    ENABLE_PRESIGN: 'true',
    S3_BUCKET: 'my bucket',
    S3_REGION: 'eu/central',
    S3_ENDPOINT: 'minio:9000',
    LOG_LEVEL: 'loud',
    NODE_ENV: '"production"',
  };
  const { code, stdout, stderr } = await start(faults);
  expect([code, stdout]).toEqual([1, '']);
  for (const name of Object.keys(faults).filter((each) => each !== 'ENABLE_PRESIGN'))
    expect(stderr).toContain(name);
  for (const form of ['64 hexadecimal digits', 'optional', 'from 1 to 300', 'uniquelocal', 'https://'])
    expect(stderr).toContain(form);
  expect(secretsIn(stderr, [faults.MASTER_KEY_HEX, faults.SALT_HEX, faults.AUTH_JWT_SECRET])).toEqual([]);
  expect(stderr).not.toMatch(/\n\s+at /);
});

it('variables that contradict each other, that production forbids or whose file is missing are refused by name', async () => {
  const faults = {
    AUTH_JWT_SECRET: undefined,
    ALLOW_ANONYMOUS_VIEWERS: 'true',
    CORS_ORIGINS: '*',
    LEASE_MAX_TTL_SECONDS: '10',
    ADMIN_API_KEY: 'with space',
    MASTER_KEY_HEX: undefined,
    MASTER_KEY_HEX_FILE: '/nowhere/at/all',
    SALT_HEX: undefined,
    MASTER_KEY_HEX_V2: 'a'.repeat(64),
    ENABLE_PRESIGN: 'true',
  };
  const { code, stderr } = await start({ ...faults, NODE_ENV: 'production' });
  expect(code).toBe(1);
  const named = Object.keys(faults).filter(
    (name) => !['MASTER_KEY_HEX_V2', 'AUTH_JWT_SECRET'].includes(name),
  );
  const missing = ['SALT_HEX_V2', 'S3_BUCKET', 'S3_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'];
  for (const name of [...named, ...missing]) expect(stderr).toContain(name);
});

const secret = Buffer.from(Array.from({ length: 32 }, (_, n) => 255 - n));
const folder = makeFolder();
const files = {
  MASTER_KEY_HEX: `${masterKeyHex}\n`,
  SALT_HEX: `${saltHex}\n`,
  AUTH_JWT_SECRET: `base64:${secret.toString('base64')}\n`,
  AUTH_JWT_SECRET_PREVIOUS: '\n',
};
for (const [name, text] of Object.entries(files)) writeFileSync(join(folder.path, name), text);
const variables = [...Object.keys(files), 'ADMIN_API_KEY_PREVIOUS'].flatMap((name) => [
  [name, undefined],
  [`${name}_FILE`, join(folder.path, name)],
]);
const server = startProcess(folder.path, {
  ...complete,
  SQLITE_PATH: join(folder.path, 'latchkey.db'),
  ...Object.fromEntries(variables),
  CONTENT_MODE: 'any',
  TRUST_PROXY: 'true',
  ALLOW_ANONYMOUS_VIEWERS: 'true',
});
afterAll(async () => {
  server.kill('SIGKILL');
  await server.ended();
  folder.remove();
});
const url = await server.listens();

it('secrets may come from files, files of earlier secrets may be empty or missing, and AUTH_JWT_SECRET may be base64', async () => {
  const headers = { authorization: `Bearer ${viewerToken(secret, 'v')}` };
  const response = await fetch(`${url}/keys/my-video-001`, { headers });
  expect(Buffer.from(await response.arrayBuffer()).toString('hex')).toBe('a4ad6589c125682427dbee83eb46259f');
});

it('TRUST_PROXY=true starts, with a warning', () => {
  expect(server.stderr()).toMatch(/"warn".*TRUST_PROXY/);
});

it('ALLOW_ANONYMOUS_VIEWERS=true with a token secret admits no viewer without a token', async () => {
  expect((await fetch(`${url}/keys/x`)).status).toBe(401);
});

it('ALLOW_ANONYMOUS_VIEWERS=true serves viewers without a token, with a warning', async () => {
  const anonymous = startInTest(makeTestFolder(), {
    ...complete,
    AUTH_JWT_SECRET: undefined,
    ALLOW_ANONYMOUS_VIEWERS: 'true',
    CONTENT_MODE: 'any',
  });
  const open = await anonymous.listens();
  expect(anonymous.stderr()).toMatch(/"warn".*ALLOW_ANONYMOUS_VIEWERS/);
  expect((await fetch(`${open}/keys/x`)).status).toBe(200);
  expect((await fetch(`${open}/api/v1/content`)).status).toBe(401);
});
