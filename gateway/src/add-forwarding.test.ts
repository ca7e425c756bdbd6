import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type FakeService, type GatewayFixture, startGateway, startService } from './forwarding.fixture.ts';
import { type ServiceName, serviceNames } from './route-table.ts';

let services: Record<ServiceName, FakeService>;
let gateway: GatewayFixture;
beforeAll(async () => {
  const started = await Promise.all(
    serviceNames.map(
      async (name) => [name, await startService((_request, response) => response.end(name))] as const,
    ),
  );
  services = Object.fromEntries(started) as typeof services;
  gateway = await startGateway(Object.fromEntries(started.map(([name, { url }]) => [name, [url]])));
});
beforeEach(() => {
  for (const { received } of Object.values(services)) received.length = 0;
  gateway.lines.length = 0;
});
afterAll(async () => {
  await gateway.close();
  await Promise.all(Object.values(services).map((service) => service.close()));
});

/** The requests that the services got so far, as `service url`. */
const received = () =>
  serviceNames.flatMap((name) => services[name].received.map(({ url }) => `${name} ${url}`));
const statusOf = async (head: string, body?: string) => (await gateway.raw(head, body)).slice(9, 12);

describe('paths', () => {
  test.each([
    ['/keys/film/7?token=x', 'key-derivation'],
    ['/keys/leases', 'leases'],
    ['/keys/leasesx', 'key-derivation'],
    ['/api/v1/api-keys/1/rotate', 'auth'],
  ])('the path %s is forwarded to %s as it was written', async (path, service) => {
    expect(await statusOf(`GET ${path} HTTP/1.1`)).toBe('200');
    expect(received()).toEqual([`${service} ${path}`]);
  });

  test.each([
    '/internal/feed/head',
    '//internal/feed/head',
    '/internal%2ffeed%2fhead',
    '/%69nternal/feed/head',
    '/api/v1/../../internal/feed/head',
    'http://evil/internal/feed/head',
    '/metrics',
  ])('the path %s returns 404 and is forwarded to no service', async (path) => {
    expect(await statusOf(`GET ${path} HTTP/1.1`)).toBe('404');
    expect(received()).toEqual([]);
  });

  test.each(['http://evil?/keys/film', '/'])(
    'the path %s redirects to the dashboard of this server, and is forwarded to no service',
    async (path) => {
      expect(await statusOf(`GET ${path} HTTP/1.1`)).toBe('302');
      expect(received()).toEqual([]);
    },
  );

  test.each([
    '/keys/../internal/feed/head',
    '/keys/..%2finternal%2ffeed%2fhead',
    '/keys/%2e%2e/internal/feed/head',
    '/api/v1/content/../../../internal/api-keys/x',
    '/keys/..;/internal',
  ])(
    'the path %s is forwarded without being normalized, so it never becomes an internal one',
    async (path) => {
      await gateway.raw(`GET ${path} HTTP/1.1`);
      expect(received()).toHaveLength(1);
      expect(received()[0]).toMatch(new RegExp(`^[a-z-]+ ${path.replace(/[.?]/g, '\\$&')}$`));
    },
  );

  test('a request for a whole URL (RFC 9112 section 3.2.2) is forwarded by its path', async () => {
    await gateway.raw('GET http://keys.example/keys/film?x=http://y/ HTTP/1.1');
    expect(received()).toEqual(['key-derivation /keys/film?x=http://y/']);
  });
});

describe('methods', () => {
  test.each(['OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'])(
    'the method %s is forwarded, and the service accepts or refuses it',
    async (method) => {
      expect(await statusOf(`${method} /keys/film HTTP/1.1`)).toBe('200');
      expect(services['key-derivation'].received).toMatchObject([{ method }]);
    },
  );

  test('the body of a QUERY is forwarded with and without a content type', async () => {
    for (const type of ['content-type: text/odd', 'x-no: type'])
      await gateway.raw(`QUERY /keys/film HTTP/1.1\n${type}\ncontent-length: 3`, 'a=b');
    expect(services['key-derivation'].received).toMatchObject([{ body: 'a=b' }, { body: 'a=b' }]);
  });
});

describe('bodies', () => {
  const post = (type: string, body: string) =>
    gateway.raw(`POST /keys/leases HTTP/1.1\n${type}\ncontent-length: ${Buffer.byteLength(body)}`, body);

  test.each(['content-type: application/json', 'content-type: text/odd; a="b"', 'x-no: type'])(
    'a body is forwarded byte for byte, whatever its type: %s',
    async (type) => {
      await post(type, '{"a":  1}\n');
      expect(services.leases.received).toMatchObject([
        { body: '{"a":  1}\n', headers: { 'content-length': '10' } },
      ]);
    },
  );

  test('a body that arrives in chunks is forwarded whole, with its length', async () => {
    await gateway.raw(
      'POST /keys/leases HTTP/1.1\ncontent-type: application/json\ntransfer-encoding: chunked',
      '2\r\n{}\r\n0\r\n\r\n',
    );
    const [request] = services.leases.received;
    expect(request).toMatchObject({ body: '{}', headers: { 'content-length': '2' } });
    expect(request?.headers).not.toHaveProperty('transfer-encoding');
  });

  test('a body that breaks off reaches no service, and leaves one log line', async () => {
    const head = 'POST /keys/leases HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\n';
    const cut = gateway.open(`${head}0123456789`);
    cut.socket.end();
    expect(await cut.all()).toMatch(/^HTTP\/1.1 400 .*"code":"VALIDATION_FAILED"/s);
    await statusOf('GET /keys/film HTTP/1.1');
    expect(received()).toEqual(['key-derivation /keys/film']);
    expect((await gateway.linesWritten(2)).map(({ status }) => status)).toEqual([400, 200]);
  });

  test('a body cannot smuggle a second request', async () => {
    const hidden = 'GET /internal/feed/head HTTP/1.1\r\nhost: a\r\n\r\n';
    await gateway.raw(
      `POST /keys/leases HTTP/1.1\ncontent-length: ${hidden.length}\ntransfer-encoding: chunked`,
      `0\r\n\r\n${hidden}`,
    );
    await post('a: b', hidden);
    expect(received()).toEqual(['leases /keys/leases']);
  });
});
