import { secretsIn } from '@latchkey/support/black-box/request-lines';
import { unique } from '@latchkey/support/black-box/unique';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { createAsker } from './ask-proxy.ts';
import { hostName } from './certificate.ts';
import { proxyKinds } from './configuration.ts';
import { failingPath, onceFailingPath, startEchoUpstream } from './echo-upstream.ts';
import { patience } from './proxied-server.ts';
import { startProxy } from './proxy-process.ts';

vi.setConfig({ testTimeout: 60_000 });

describe.each(proxyKinds)('the requests that %s forwards', async (kind) => {
  const upstream = await startEchoUpstream();
  const proxy = await startProxy(kind, upstream.url);
  const { ask, close } = createAsker(proxy);
  afterAll(close);
  const from = '127.0.0.2';
  const forwarded = async (path: string, headers: Record<string, string> = {}) => {
    await ask({ path, from, headers });
    const found = upstream.requests.at(-1);
    if (!found) throw new Error('nothing arrived');
    return found;
  };
  const claims = {
    'x-forwarded-for': '198.51.100.7',
    'x-forwarded-proto': 'gopher',
    'x-forwarded-host': 'evil.example',
    'x-real-ip': '198.51.100.8',
    forwarded: 'for=198.51.100.9',
  };

  it.each([
    '/keys/x',
    '/keys/leases',
    '/api/v1/content',
    '/api/v1/events',
    '/admin',
    '/presign',
    '/health',
    '/ready',
  ])(
    `${kind} forwards %s with the host, the client's address and the protocol, and without claims of the client`,
    async (path) => {
      const { headers, rawNames, target } = await forwarded(path, claims);
      expect(target).toBe(path);
      expect(headers.host).toBe(hostName);
      expect(headers['x-forwarded-for']).toBe(from);
      expect(headers['x-forwarded-proto']).toBe('https');
      expect(headers['x-real-ip']).toBe(from);
      expect(headers.forwarded).toBeUndefined();
      expect(headers['x-forwarded-host'] ?? '').not.toBe('evil.example');
      for (const name of ['x-forwarded-for', 'x-forwarded-proto', 'x-real-ip', 'host'])
        expect([name, rawNames.filter((raw) => raw === name)]).toEqual([name, [name]]);
    },
  );

  it(`${kind} forwards the credential, except to the dashboard's files, which need none`, async () => {
    const headers = { authorization: 'Bearer x' };
    expect((await forwarded('/api/v1/content', headers)).headers.authorization).toBe('Bearer x');
    expect((await forwarded('/keys/x', headers)).headers.authorization).toBe('Bearer x');
    expect((await forwarded('/admin', headers)).headers.authorization).toBeUndefined();
    expect((await forwarded('/admin/index.html', headers)).headers.authorization).toBeUndefined();
  });

  it(`${kind} forwards path and query unchanged`, async () => {
    for (const path of ['/keys/a%2Fb?x=%20y&x=1', '/nowhere/%7Ex?'])
      expect((await forwarded(path)).target).toBe(path);
  });

  it(`${kind} keeps its connections to the server`, async () => {
    const before = upstream.connections();
    for (let n = 0; n < 10; n++) await forwarded('/ready');
    expect(upstream.connections() - before).toBeLessThanOrEqual(1);
  });

  it.each(['GET', 'POST'])(
    `if an idle connection breaks, ${kind} repeats a GET and no POST: %s`,
    async (method) => {
      await forwarded('/ready');
      const path = `${onceFailingPath}/${unique(method)}`;
      const answer = await ask({ method, path, from }).then(
        ({ status }) => status,
        () => 'closed',
      );
      const times = upstream.requests.filter(({ target }) => target === path).length;
      expect([times, answer]).toEqual(method === 'GET' ? [2, 204] : [1, expect.toBeOneOf([502, 'closed'])]);
    },
  );

  it(`the log of ${kind} shows no secret of a request that fails behind it`, async () => {
    const [token, leaseId, last] = [unique('token'), unique('lease'), unique('last')];
    const sid = unique('sid');
    const headers = { authorization: `Bearer ${token}`, 'x-lease-id': leaseId };
    const answer = await ask({
      path: `${failingPath}?access_token=${token}&s=${sid}&lease_id=${leaseId}`,
      from,
      headers,
    }).then(
      ({ status }) => status,
      () => 'closed',
    );
    expect([502, 'closed']).toContain(answer);
    await ask({ path: `/keys/${last}`, from });
    await vi.waitFor(() => expect(proxy.logs().includes(last)).toBe(true), patience);
    expect(secretsIn(proxy.logs(), [token, leaseId, sid])).toEqual([]);
  });
});
