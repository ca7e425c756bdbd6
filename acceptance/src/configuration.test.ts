import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { complete, makeTestFolder, runToEnd, startInTest } from './own-process.ts';
import { secretsIn } from './request-lines.ts';
import { viewerToken } from './tokens.ts';

// Each test starts servers, which takes seconds, and longer on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

// Each fault of its own is tested with the function that reads the configuration, without a process.
it('a faulty configuration ends the process with 1, and all its faults are reported with the accepted forms and no secret', async () => {
  const faults = {
    PORT: '99999',
    MASTER_KEY_HEX: 'c0ffee-not-hex-at-all',
    SALT_HEX: 'abcdef0123456789',
    AUTH_JWT_SECRET: 'short-and-secret',
    LEASE_MODE: 'sometimes',
    LEASE_TTL_SECONDS: '1.5',
    TRUST_PROXY: 'yes',
    CORS_ORIGINS: 'https://app.example.com/path',
    RATE_LIMIT: 'true',
    CONTENT_MODE: 'all',
    VIEWER_TOKEN_FROM: 'header,body',
    ENABLE_PRESIGN: 'true',
    LOG_LEVEL: 'loud',
  };
  const { code, stdout, stderr } = await runToEnd(makeTestFolder(), { ...complete, ...faults });
  expect([code, stdout]).toEqual([1, '']);
  for (const name of [...Object.keys(faults), 'S3_BUCKET', 'AWS_SECRET_ACCESS_KEY'].filter(
    (n) => n !== 'ENABLE_PRESIGN',
  ))
    expect(stderr).toContain(name);
  for (const form of ['64 hexadecimal digits', 'optional', 'loopback', 'https://'])
    expect(stderr).toContain(form);
  expect(secretsIn(stderr, [faults.MASTER_KEY_HEX, faults.SALT_HEX, faults.AUTH_JWT_SECRET])).toEqual([]);
  expect(stderr).not.toMatch(/\n\s+at /);
});

describe('a good configuration', () => {
  it('secrets may come from files', async () => {
    const folder = makeTestFolder();
    const files = {
      MASTER_KEY_HEX: complete.MASTER_KEY_HEX,
      SALT_HEX: complete.SALT_HEX,
      AUTH_JWT_SECRET: 's'.repeat(40),
    };
    const env: Record<string, string | undefined> = { ...complete, CONTENT_MODE: 'any' };
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(join(folder, name), `${text}\n`);
      env[name] = undefined;
      env[`${name}_FILE`] = join(folder, name);
    }
    const url = await startInTest(folder, env).listens();
    const token = viewerToken(Buffer.from(files.AUTH_JWT_SECRET), 'v');
    const response = await fetch(`${url}/keys/my-video-001`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(Buffer.from(await response.arrayBuffer()).toString('hex')).toBe(
      'a4ad6589c125682427dbee83eb46259f',
    );
  });

  it('PUBLIC_URL is the base of absolute URLs', async () => {
    const env = { ...complete, ADMIN_API_KEY: 'k'.repeat(40), PUBLIC_URL: 'https://keys.example.com/base' };
    const url = await startInTest(makeTestFolder(), env).listens();
    const response = await fetch(`${url}/api/v1/content`, {
      method: 'POST',
      headers: { authorization: `Bearer ${env.ADMIN_API_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'x', id: 'film' }),
    });
    expect(await response.json()).toMatchObject({ key_endpoint: 'https://keys.example.com/base/keys/film' });
  });

  it('ALLOW_ANONYMOUS_VIEWERS=true serves viewers without a token, with a warning', async () => {
    const env = {
      ...complete,
      AUTH_JWT_SECRET: undefined,
      ALLOW_ANONYMOUS_VIEWERS: 'true',
      CONTENT_MODE: 'any',
    };
    const server = startInTest(makeTestFolder(), env);
    const url = await server.listens();
    expect(server.stderr()).toMatch(/"warn".*ALLOW_ANONYMOUS_VIEWERS/);
    expect((await fetch(`${url}/keys/x`)).status).toBe(200);
    expect((await fetch(`${url}/api/v1/content`)).status).toBe(401);
  });

  it('ALLOW_ANONYMOUS_VIEWERS=true beside a token secret admits no viewer without a token', async () => {
    const env = { ...complete, ALLOW_ANONYMOUS_VIEWERS: 'true', CONTENT_MODE: 'any' };
    const url = await startInTest(makeTestFolder(), env).listens();
    expect((await fetch(`${url}/keys/x`)).status).toBe(401);
  });
});
