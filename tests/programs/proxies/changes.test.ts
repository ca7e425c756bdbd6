import { unique } from '@latchkey/support/black-box/unique';
import { afterAll, describe, expect, it } from 'vitest';
import { createAsker, valuesOf } from './ask-proxy.ts';
import { hostName } from './certificate.ts';
import { askForPassword, openSetup, trustBalancer } from './changes.ts';
import { proxyKinds } from './configuration.ts';
import { startEchoUpstream } from './echo-upstream.ts';
import { startProxy } from './proxy-process.ts';

const [own, other] = ['127.0.0.2', '127.0.0.3'] as const;

describe.each(proxyKinds)('%s, changed as the comments of its configuration say', async (kind) => {
  const upstream = await startEchoUpstream();
  const password = unique('password');
  const withPassword = createAsker(await startProxy(kind, upstream.url, askForPassword(kind, password)));
  const withSetup = createAsker(await startProxy(kind, upstream.url, openSetup(kind, own)));
  const behindBalancer = createAsker(await startProxy(kind, upstream.url, trustBalancer(kind, own)));
  afterAll(() => {
    for (const { close } of [withPassword, withSetup, behindBalancer]) close();
  });
  const basic = (word: string) => ({
    authorization: `Basic ${Buffer.from(`admin:${word}`).toString('base64')}`,
  });

  it.each(['/admin', '/admin/', '/admin/index.html'])(
    `${kind} can ask for a password before %s`,
    async (path) => {
      for (const headers of [{}, basic('wrong'), { authorization: 'Bearer x' }]) {
        const reply = await withPassword.ask({ path, from: own, headers });
        expect([reply.status, valuesOf(reply, 'www-authenticate')[0]]).toEqual([
          401,
          expect.stringMatching(/^Basic /),
        ]);
      }
      expect(upstream.requests.some(({ target }) => target === path)).toBe(false);
      expect((await withPassword.ask({ path, from: own, headers: basic(password) })).status).toBe(204);
      expect(upstream.requests.at(-1)?.headers.authorization).toBeUndefined();
    },
  );

  it(`${kind} asks for a password only before the dashboard`, async () => {
    const headers = { authorization: 'Bearer x' };
    for (const path of ['/api/v1/content', '/keys/x', '/presign', '/health', '/administrator']) {
      expect([path, (await withPassword.ask({ path, from: own, headers })).status]).toEqual([path, 204]);
      expect(upstream.requests.at(-1)?.headers.authorization).toBe('Bearer x');
    }
  });

  it(`${kind} can open setup for one address, and other addresses cannot claim to be it`, async () => {
    const path = '/api/v1/setup';
    const origin = `https://${hostName}`;
    const page = { origin, 'sec-fetch-site': 'same-origin' };
    expect((await withSetup.ask({ path, from: own, headers: page })).status).toBe(204);
    // By these three headers Latchkey recognizes the page of its own dashboard.
    expect(upstream.requests.at(-1)?.headers).toMatchObject({ ...page, host: hostName });
    expect(upstream.requests.at(-1)?.headers['x-forwarded-for']).toBe(own);
    const headers = { 'x-forwarded-for': own, 'x-real-ip': own };
    expect((await withSetup.ask({ path, from: other, headers })).status).toBe(403);
  });

  it(`${kind} can trust the X-Forwarded-For of a load balancer, and of no other client`, async () => {
    const headers = { 'x-forwarded-for': '198.51.100.7, 203.0.113.9' };
    await behindBalancer.ask({ path: '/keys/x', from: own, headers });
    const addresses = `${upstream.requests.at(-1)?.headers['x-forwarded-for']}`.split(', ');
    // Caddy appends its peer, which TRUST_PROXY=2 skips. The others pass on only the client.
    expect(kind === 'Caddy' ? addresses.at(-2) : addresses.at(-1)).toBe('203.0.113.9');
    if (kind !== 'Caddy') expect(addresses).toHaveLength(1);
    await behindBalancer.ask({ path: '/keys/x', from: other, headers });
    expect(upstream.requests.at(-1)?.headers['x-forwarded-for']).toBe(other);
  });
});
