import { X509Certificate } from 'node:crypto';
import { copyFileSync, readFileSync } from 'node:fs';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { findProgram } from '@latchkey/support/stores/own-stores';
import { type CertificateAuthority, makeCertificateAuthority } from '@latchkey/support/tls/make-certificates';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createSystemClock } from '../clock/clock.ts';
import { createInternalClient, internalSecretHeader } from '../internal/index.ts';
import { createShutdown } from '../lifecycle/index.ts';
import { serveHttp } from '../testing/serve-http.ts';
import { stopTime } from '../testing/stop-time.ts';
import { makeTestFolder } from '../testing/test-folder.ts';
import { describeServiceTls, internalTlsVariableNames, openTlsFiles, type TlsFiles } from '../tls/index.ts';
import { createUpstream } from '../upstream/index.ts';
import { openInternalTls } from './open-tls.ts';
import { createProcessBase } from './process-context.ts';
import { createServiceContext, internalSecret as secret } from './service-context.fixture.ts';
import { createServiceProcess } from './service-process.ts';

const log = { info() {}, warn() {}, error() {} };

describe.skipIf(findProgram('openssl') === undefined)('mutual TLS between services', () => {
  let authority: CertificateAuthority;
  let other: CertificateAuthority;
  let ofServer: ReturnType<CertificateAuthority['issue']>;
  let ofCaller: typeof ofServer;
  beforeAll(() => {
    authority = makeCertificateAuthority('the CA');
    other = makeCertificateAuthority('another CA');
    ofServer = authority.issue('server');
    ofCaller = authority.issue('caller');
  });
  afterAll(() => {
    authority.remove();
    other.remove();
  });

  /** As `openTlsFiles`, but with a certificate that expires while its process runs: one that has expired would be refused at once. */
  const read = (ca: string, { cert, key }: { cert: string; key: string }): TlsFiles => {
    const paths = { ca, cert, key };
    const kinds = Object.entries(paths) as ['ca' | 'cert' | 'key', string][];
    const settings = kinds.map(([kind, path]) => [kind, { variable: internalTlsVariableNames[kind], path }]);
    const material = Object.fromEntries(kinds.map(([kind, path]) => [kind, readFileSync(path, 'utf8')]));
    return {
      settings: Object.fromEntries(settings),
      current: () => material,
      expiries: () => [],
      renew: () => {},
      onChange: () => {},
    };
  };

  async function serve(files: TlsFiles) {
    const service = createServiceProcess(createServiceContext({ internalTls: files }));
    const asked: string[] = [];
    service.app.get('/internal/thing', { config: { access: 'internal' } }, async (incoming) => {
      asked.push(incoming.clientIp);
      return { thing: 1 };
    });
    service.openForRequests();
    await service.listen();
    onTestFinished(() => service.app.close());
    const { port } = service.app.server.address() as AddressInfo;
    return { port, asked, service };
  }

  const connectTo = (port: number, files: TlsFiles | null, host = '127.0.0.1') => {
    const faults: string[] = [];
    const upstream = createUpstream({
      urls: [`https://${host}:${port}`],
      lookup: async () => ['127.0.0.1'],
      connections: 4,
      tls: describeServiceTls('leases', files),
      onFault: () => {},
    });
    onTestFinished(() => upstream.close());
    const client = createInternalClient({
      name: 'leases',
      upstream,
      secret,
      onFault: (_, error) => void faults.push((error as Error).message),
    });
    return { client, upstream, faults, ask: () => client.get('/internal/thing', (body) => body) };
  };

  const get = (port: number, path: string, options: ConnectionOptions = {}) =>
    new Promise<{ status: number | undefined; refused: unknown }>((resolve, reject) => {
      const asked = request(
        {
          host: '127.0.0.1',
          port,
          path,
          agent: false,
          rejectUnauthorized: false,
          ...options,
          headers: { [internalSecretHeader]: secret },
        },
        (answer) => {
          answer.resume();
          answer.on('end', () =>
            resolve({ status: answer.statusCode, refused: answer.headers['x-latchkey-refused'] }),
          );
        },
      );
      asked.on('error', reject).end();
    });

  test('a service answers a caller with a certificate of the CA, by name', async () => {
    const { port } = await serve(read(authority.ca, ofServer));
    const named = connectTo(port, read(authority.ca, ofCaller), 'localhost');
    await vi.waitUntil(() => named.upstream.size() > 0);
    expect(await named.ask()).toEqual({ thing: 1 });
  });

  test('without a certificate, and with one of another CA or an expired one, the right secret opens nothing but health and readiness', async () => {
    const { port, asked } = await serve(read(authority.ca, ofServer));
    const callers = {
      'certificate no certificate': undefined,
      'certificate UNABLE_TO_VERIFY_LEAF_SIGNATURE': other.issue('stranger'),
      'certificate CERT_HAS_EXPIRED': authority.issue('late', { expired: true }),
    };
    for (const [why, files] of Object.entries(callers)) {
      const own = files && read(authority.ca, files).current();
      for (const path of ['/internal/thing', '/openapi.json', '/nowhere']) {
        const { status, refused } = await get(port, path, own && { cert: own.cert, key: own.key });
        expect([path, status, refused]).toEqual([path, 401, why]);
      }
      for (const path of ['/health', '/ready'])
        expect((await get(port, path, own && { cert: own.cert, key: own.key })).status).toBe(200);
    }
    expect(asked).toEqual([]);
  });

  test('a caller whose certificate is refused logs why, and which variable to change', async () => {
    const { port } = await serve(read(authority.ca, ofServer));
    const { ask, faults } = connectTo(port, read(authority.ca, authority.issue('late', { expired: true })));
    await expect(ask()).rejects.toMatchObject({ code: 'DEPENDENCY_UNAVAILABLE' });
    expect(faults).toEqual([
      'it refused the certificate of this process (CERT_HAS_EXPIRED): name one in INTERNAL_TLS_CERT_FILE that a CA in its INTERNAL_TLS_CA_FILE has signed',
    ]);
  });

  test('a caller sends nothing to a service whose certificate has expired, is for another host or of another CA, and says so', async () => {
    const cases: [{ cert: string; key: string }, string, RegExp][] = [
      [authority.issue('old', { expired: true }), authority.ca, /the certificate of leases.* has expired/],
      [
        authority.issue('elsewhere', { names: 'DNS:other.example' }),
        authority.ca,
        /is not for the host name in LEASES_SERVICE_URL, 127\.0\.0\.1; it is for DNS:other\.example/,
      ],
      [other.issue('server'), authority.ca, /is not signed by a CA in INTERNAL_TLS_CA_FILE/],
    ];
    for (const [certificate, ca, message] of cases) {
      const { port, asked } = await serve(read(authority.ca, certificate));
      const { ask, upstream, faults } = connectTo(port, read(ca, ofCaller));
      for (let round = 0; round < 2; round++)
        await expect(ask()).rejects.toMatchObject({ code: 'DEPENDENCY_UNAVAILABLE' });
      expect(faults).toHaveLength(2);
      for (const fault of faults) expect(fault).toMatch(message);
      // No address is left, and the reason is still known.
      expect(upstream.isLost()).toBe(true);
      expect(upstream.whyLost().message).toMatch(message);
      expect(asked).toEqual([]);
    }
  });

  test('a caller learns that the other side speaks no TLS', async () => {
    const { url } = await serveHttp((_, response) => response.end());
    const { ask, faults } = connectTo(Number(new URL(url).port), read(authority.ca, ofCaller));
    await expect(ask()).rejects.toMatchObject({ code: 'DEPENDENCY_UNAVAILABLE' });
    expect(faults[0]).toMatch(/^leases speaks no TLS at the address in LEASES_SERVICE_URL/);
  });

  test('a session of TLS that is resumed opens nothing: it would be trusted by what was verified before', async () => {
    const { port } = await serve(read(authority.ca, ofServer));
    for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
      const target = { host: '127.0.0.1', port, rejectUnauthorized: false, maxVersion };
      const first = connect(target);
      const session = await new Promise<Buffer | undefined>((resolve) => {
        first.on('session', resolve);
        first.on('secureConnect', () => first.write('GET /health HTTP/1.1\r\nhost: a\r\n\r\n'));
        first.on('data', () => setImmediate(() => resolve(first.getSession())));
      });
      first.destroy();
      const answered = await get(port, '/internal/thing', { session, maxVersion });
      expect(answered).toEqual({ status: 401, refused: 'certificate no certificate' });
      const second: TLSSocket = connect({ ...target, session });
      await new Promise((resolve) => second.on('secureConnect', resolve));
      expect(second.isSessionReused()).toBe(false);
      second.destroy();
    }
  });

  test('a replaced CA and certificate are used without a restart: the next connection of the old CA is refused', async () => {
    const folder = makeTestFolder();
    const put = (from: { cert: string; key: string }, ca: string) => {
      for (const [name, path] of Object.entries({ ...from, ca })) copyFileSync(path, join(folder, name));
    };
    const at = (name: string) => join(folder, name);
    put(ofServer, authority.ca);
    const files = openTlsFiles(
      Object.fromEntries(
        (['ca', 'cert', 'key'] as const).map((kind) => [
          kind,
          { variable: internalTlsVariableNames[kind], path: at(kind) },
        ]),
      ),
      { now: Date.now, onFault: () => {} },
    );
    const { port } = await serve(files);
    const old = read(authority.ca, ofCaller);
    const next = read(other.ca, other.issue('caller'));
    expect(await connectTo(port, old).ask()).toEqual({ thing: 1 });
    put(other.issue('server'), other.ca);
    files.renew();
    expect(await connectTo(port, next).ask()).toEqual({ thing: 1 });
    const { cert, key } = old.current();
    expect((await get(port, '/internal/thing', { cert, key })).status).toBe(401);
    await expect(connectTo(port, old).ask()).rejects.toMatchObject({ code: 'DEPENDENCY_UNAVAILABLE' });
  });

  test('the metrics say when the certificate of a process and its CA expire, and a replaced certificate counts within seconds', async () => {
    const time = stopTime();
    const base = createProcessBase({ clock: createSystemClock(), log, shutdown: createShutdown(log) });
    const folder = makeTestFolder();
    const { ca } = authority;
    const own = { cert: join(folder, 'cert'), key: join(folder, 'key') };
    const put = ({ cert, key }: typeof own) => {
      copyFileSync(cert, own.cert);
      copyFileSync(key, own.key);
    };
    const expectShown = async () => {
      const shown = await base.registry.metrics();
      for (const path of [ca, own.cert]) {
        const seconds = new X509Certificate(readFileSync(path)).validToDate.getTime() / 1_000;
        expect(shown).toContain(`latchkey_certificate_expiry_timestamp_seconds{file="${path}"} ${seconds}\n`);
      }
    };
    put(authority.issue('metered'));
    openInternalTls(
      { internalTlsCaFile: ca, internalTlsCertFile: own.cert, internalTlsKeyFile: own.key },
      base,
    );
    onTestFinished(() => base.jobs.stop());
    await expectShown();
    put(authority.issue('later', { days: 25 }));
    time.advance(5_000);
    await expectShown();
  });
});
