import { randomBytes } from 'node:crypto';
import { readLines, secretsIn } from '@latchkey/support/black-box/request-lines';
import { createApiKey } from '@latchkey/support/black-box/server-actions';
import { unique } from '@latchkey/support/black-box/unique';
import { viewerToken } from '@latchkey/support/tokens';
import { describe, expect, it, vi } from 'vitest';
import { askPlain, type Reply, valuesOf } from './ask-proxy.ts';
import { hostName } from './certificate.ts';
import { proxyKinds } from './configuration.ts';
import { listedOrigin, newAddress, patience, startProxiedServer } from './proxied-server.ts';

vi.setConfig({ testTimeout: 90_000 });

/** `my-video-001` under the master key of the vector in `docs/reference/contract.md#derivation`. */
const knownKey = 'a4ad6589c125682427dbee83eb46259f';

/** Spellings of the path of setup that a proxy might read differently from Latchkey. */
const disguises = [
  '/api/v1/setup',
  '/api/v1/setup?x=1',
  '/api/v1/setup/',
  '/api/v1/setup;x=1',
  '/api/v1/%73etup',
  '/%61pi/v1/setup',
  '/api%2Fv1%2Fsetup',
  '/api/v1/%2573etup',
  '/api/v1/setup%3Fx',
  '/api/v1/setup%23x',
  '/api/v1/setup%00',
  '/api/v1/Setup',
  '//api/v1/setup',
  '/api//v1/setup',
  '/api/v1/./setup',
  '/api/v1/x/../setup',
  '/admin/../api/v1/setup',
  '/admin/%2e%2e/api/v1/setup',
  '/keys/..%2fapi/v1/setup',
  '/api/v1/setup/../setup',
  'http://latchkey.example.com/api/v1/setup',
  'http:///api/v1/setup',
  'http://latchkey.example.com?/api/v1/setup',
  'https://latchkey.example.com?x/api/v1/setup',
  'HTTP://latchkey.example.com/api/v1/setup',
  '*/api/v1/setup',
];

const corsHeaders = ({ headers }: Reply) => headers.filter(([name]) => name.startsWith('access-control-'));

describe.each(proxyKinds)('%s with its documented configuration', async (kind) => {
  const { ask, open, lineOf, server, proxy } = await startProxiedServer(kind);
  const viewer = () => ({ authorization: `Bearer ${viewerToken(server.jwtSecret, unique('viewer'))}` });
  const admin = { authorization: `Bearer ${server.adminApiKey}` };

  it(`behind ${kind}, Latchkey logs and audits the client's address, despite claims of the client`, async () => {
    const from = newAddress();
    const claims = {
      'x-forwarded-for': '198.51.100.7, 203.0.113.9',
      'x-real-ip': '198.51.100.8',
      forwarded: 'for=198.51.100.9',
    };
    for (const headers of [{}, claims]) {
      const reply = await ask({ path: '/keys/my-video-001', from, headers: { ...viewer(), ...headers } });
      expect((await lineOf(valuesOf(reply, 'x-request-id')[0] ?? '')).clientIp).toBe(from);
    }
    const body = JSON.stringify({ name: 'x' });
    const headers = { ...admin, ...claims, 'content-type': 'application/json' };
    const created = await ask({ method: 'POST', path: '/api/v1/content', from, headers, body });
    expect(created.status).toBe(201);
    const { json } = await server.client.get('/api/v1/audit', server.adminApiKey);
    const id = valuesOf(created, 'x-request-id')[0];
    expect(json.audit.find((row: { requestId: string }) => row.requestId === id).clientIp).toBe(from);
  });

  it.each(['GET', 'POST'])(`${kind} answers %s of setup with 403, without a CORS header`, async (method) => {
    for (const path of ['/api/v1/setup', '/api/v1/setup?x=1', '/api/v1/setup/']) {
      const reply = await ask({ method, path, from: newAddress(), headers: { origin: listedOrigin } });
      expect([path, reply.status, corsHeaders(reply)]).toEqual([path, 403, []]);
    }
  });

  it.each(disguises)(`behind ${kind}, setup cannot be reached by %s`, async (path) => {
    const marks = [unique('setup'), unique('setup')];
    for (const [n, method] of ['GET', 'POST'].entries()) {
      const headers = { ...admin, 'x-request-id': marks[n] ?? '' };
      const { status } = await ask({ method, path, from: newAddress(), headers }).catch(() => ({
        status: 0,
      }));
      expect([200, 201, 409]).not.toContain(status);
    }
    const after = await ask({ path: '/health', from: newAddress() });
    await lineOf(valuesOf(after, 'x-request-id')[0] ?? '');
    const reached = readLines(server.process).filter(({ requestId }) => marks.includes(requestId));
    expect(reached.map(({ route }) => route)).not.toContain('/api/v1/setup');
  });

  it(`behind ${kind}, a page of a listed origin gets each CORS header once, and other pages get none`, async () => {
    const from = newAddress();
    const replies = [
      await ask({ path: '/keys/my-video-001', from, headers: { ...viewer(), origin: listedOrigin } }),
      await ask({ path: '/keys/my-video-001', from, headers: { origin: listedOrigin } }),
      await ask({ path: '/api/v1/content', from, headers: { ...admin, origin: listedOrigin } }),
      await ask({
        method: 'OPTIONS',
        path: '/keys/my-video-001',
        from,
        headers: { origin: listedOrigin, 'access-control-request-method': 'GET' },
      }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([200, 401, 200, 204]);
    for (const reply of replies) {
      expect(valuesOf(reply, 'access-control-allow-origin')).toEqual([listedOrigin]);
      const names = corsHeaders(reply).map(([name]) => name);
      expect(names).toEqual([...new Set(names)]);
      expect(valuesOf(reply, 'vary').join().toLowerCase()).toContain('origin');
    }
    const other = { ...viewer(), origin: 'https://evil.example' };
    expect(corsHeaders(await ask({ path: '/keys/my-video-001', from, headers: other }))).toEqual([]);
    expect(corsHeaders(await ask({ path: '/keys/my-video-001', from, headers: viewer() }))).toEqual([]);
  });

  it(`${kind} passes on the 16 bytes of a key with their length, uncompressed and not cached`, async () => {
    const headers = { ...viewer(), 'accept-encoding': 'gzip, br, zstd' };
    const reply = await ask({ path: '/keys/my-video-001', from: newAddress(), headers });
    expect([reply.status, reply.bytes.toString('hex')]).toEqual([200, knownKey]);
    expect(valuesOf(reply, 'content-length')).toEqual(['16']);
    expect(valuesOf(reply, 'content-type')).toEqual(['application/octet-stream']);
    expect(valuesOf(reply, 'cache-control')).toEqual(['no-store']);
    for (const name of ['content-encoding', 'transfer-encoding'])
      expect([name, valuesOf(reply, name)]).toEqual([name, []]);
  });

  it(`${kind} passes on errors of Latchkey unchanged, and hides its own version`, async () => {
    const reply = await ask({ path: '/keys/my-video-001', from: newAddress() });
    expect(reply.status).toBe(401);
    expect(JSON.parse(reply.bytes.toString()).code).toBe('UNAUTHENTICATED');
    expect(valuesOf(reply, 'www-authenticate')).toHaveLength(1);
    expect(valuesOf(reply, 'strict-transport-security')).toEqual(['max-age=31536000']);
    expect(valuesOf(reply, 'server').join()).not.toMatch(/\d/);
  });

  it(`${kind} passes on events at once`, async () => {
    const stream = await open({ path: '/api/v1/events', from: newAddress(), headers: admin });
    expect(stream.statusCode).toBe(200);
    let text = '';
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    for (let n = 0; n < 3; n++) {
      const { id } = await createApiKey(server, 'playback');
      await vi.waitFor(() => expect(text).toContain(id), patience);
    }
    stream.destroy();
  });

  it(`behind ${kind}, the dashboard has its own strict headers, each once`, async () => {
    const reply = await ask({ path: '/admin', from: newAddress() });
    expect(reply.status).toBe(200);
    expect(valuesOf(reply, 'content-security-policy')).toHaveLength(1);
    expect(valuesOf(reply, 'content-security-policy')[0]).toContain("frame-ancestors 'none'");
  });

  it(`behind ${kind}, a body over 64 KiB gets 413, and a smaller one is read`, async () => {
    const from = newAddress();
    const headers = { ...admin, 'content-type': 'application/json' };
    const post = (bytes: number) =>
      ask({
        method: 'POST',
        path: '/api/v1/content',
        from,
        headers,
        body: JSON.stringify({ name: 'x', x: '' }).padEnd(bytes),
      });
    expect((await post(70_000)).status).toBe(413);
    expect((await post(65_000)).status).toBe(400);
  });

  it(`behind ${kind}, the document of a packager may have 256 KiB, and a larger one gets 413`, async () => {
    const from = newAddress();
    const headers = { ...admin, 'content-type': 'application/xml', 'x-speke-version': '2.0' };
    const post = (bytes: number) =>
      ask({ method: 'POST', path: '/speke/v2.0/copyProtection', from, headers, body: '<x/>'.padEnd(bytes) });
    expect((await post(270_000)).status).toBe(413);
    // It is no CPIX, or the server has no PUBLIC_URL: it was read at any rate.
    expect([409, 422]).toContain((await post(260_000)).status);
  });

  it(`${kind} logs requests without their query and credentials, and does not log /health`, async () => {
    const from = newAddress();
    const token = viewerToken(server.jwtSecret, unique('viewer'));
    const leaseId = unique('lease');
    const sid = randomBytes(32).toString('base64url');
    await ask({ path: '/health', from });
    for (const path of [
      `/play/${sid}/index.m3u8`,
      `/play//${sid}/v.m3u8?x=1`,
      `/keys/my-video-001/0?s=${sid}`,
    ])
      await ask({ path, from });
    await ask({ path: `/keys/my-video-001?access_token=${token}&lease_id=${leaseId}`, from });
    const last = unique('last');
    await ask({ path: `/keys/${last}`, from, headers: { ...viewer(), 'x-lease-id': leaseId } });
    const log = await vi.waitFor(() => {
      // JSON may write a slash with an escape.
      const text = proxy.logs().replaceAll('\\/', '/');
      if (!text.includes(last)) throw new Error('no line yet');
      return text;
    }, patience);
    expect(log).toContain('/keys/my-video-001');
    expect(secretsIn(log, ['/health', token, leaseId, sid, server.adminApiKey])).toEqual([]);
  });

  it(`${kind} redirects plain HTTP to HTTPS`, async () => {
    const reply = await askPlain(proxy, '/keys/my-video-001?x=1');
    expect([301, 308]).toContain(reply.status);
    expect(valuesOf(reply, 'location')[0]).toMatch(
      new RegExp(`^https://${hostName}(:\\d+)?/keys/my-video-001\\?x=1$`),
    );
  });
});
