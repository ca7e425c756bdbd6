import { type ClientRequest, createServer, request } from 'node:http';
import { connect, createServer as createTcpServer } from 'node:net';
import { eventually } from '@latchkey/support/black-box/eventually';
import { listenOnLoopback } from '@latchkey/support/black-box/listen-on-loopback';
import type { Environment } from '@latchkey/support/black-box/server-process';
import { areContainers, isSingleNode, type OwnServer, startServer } from '@latchkey/support/black-box/target';
import { describe, expect, it, onTestFinished } from 'vitest';

// docs/reference/contract.md#setup: a proxy on the same machine, with nothing but its defaults, makes every client look like a call from
// the machine itself.

const path = '/api/v1/setup';
const exceptionWarning = /"warn".*ten minutes.*api\/v1\/setup.*NODE_ENV=production/;

/** Sends a call of setup, and reads the answer. */
function callSetup(
  origin: string,
  method: 'GET' | 'POST',
  headers: Record<string, string | string[]> = {},
): Promise<{ status: number; json: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    const asking: ClientRequest = request(`${origin}${path}`, { method, headers, agent: false }, (answer) => {
      let text = '';
      answer.on('data', (part) => {
        text += part;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, json: JSON.parse(text) }));
    });
    asking.once('error', reject).end();
  });
}

/** As nginx with `proxy_pass` alone: it writes the server's own address into `Host`, and adds no header. */
async function startPlainProxy(upstream: string): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    const { host: _, ...headers } = incoming.headers;
    const forwarded = request(
      `${upstream}${incoming.url}`,
      { method: incoming.method, headers: { ...headers, connection: 'close' }, agent: false },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    forwarded.once('error', () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  const { origin, close } = await listenOnLoopback(server);
  onTestFinished(close);
  return origin;
}

/** As HAProxy without `option forwardfor`, or any proxy of TCP: the client's request arrives as it was sent. */
async function startTcpProxy(upstream: string): Promise<string> {
  const { hostname, port } = new URL(upstream);
  const server = createTcpServer((client) => {
    const target = connect(Number(port), hostname);
    client.pipe(target).pipe(client);
    for (const socket of [client, target]) socket.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

/** A server, a proxy of each kind before it, and the name by which the machine itself calls. */
async function startBehindProxies(env: Environment) {
  const server = await startServer(env);
  const own = { host: `localhost:${new URL(server.url).port}` };
  return { server, plain: await startPlainProxy(server.url), tcp: await startTcpProxy(server.url), own };
}

async function expectClosed({ url, adminApiKey }: OwnServer, origins: readonly string[], host: string) {
  for (const origin of [url, ...origins])
    for (const headers of [{}, { host }]) {
      expect((await callSetup(origin, 'GET', headers)).json).toEqual({
        setup_required: true,
        credential: 'bootstrap-key',
      });
      const refused = await callSetup(origin, 'POST', headers);
      expect([refused.status, refused.json.code]).toEqual([401, 'UNAUTHENTICATED']);
    }
  const authorization = `Bearer ${adminApiKey}`;
  const claimed = await callSetup(origins[0] ?? url, 'POST', { authorization });
  expect(claimed.status).toBe(201);
}

/** Accepted with NODE_ENV=production. */
const production = { NODE_ENV: 'production' };

describe.skipIf(areContainers)('a server with a bootstrap key behind a proxy on the same machine', () => {
  it.each<[string, Environment]>([
    ['NODE_ENV=production', production],
    ['TRUST_PROXY=1', { TRUST_PROXY: '1' }],
    ['PUBLIC_URL', { PUBLIC_URL: 'https://keys.example.com' }],
  ])(
    'with %s, every call of setup needs the bootstrap key, whatever a proxy on the same machine makes of it',
    async (_what, env) => {
      const { server, plain, tcp, own } = await startBehindProxies(env);
      // The auth service does not know TRUST_PROXY and PUBLIC_URL of a gateway before it, and says so in its warning.
      if (isSingleNode || env === production) expect(server.process.stderr()).not.toMatch(exceptionWarning);
      await expectClosed(server, [plain, tcp], own.host);
    },
  );

  it('on a development server, only a call to its own port by a loopback name needs no bootstrap key, and a warning explains how to close it', async () => {
    const server = await startServer();
    const warned = () => expect(server.process.stderr()).toMatch(exceptionWarning);
    await eventually(warned);
    const { port } = new URL(server.url);
    const credentialOf = async (host: string) =>
      (await callSetup(server.url, 'GET', { host })).json.credential;
    for (const own of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`])
      expect(await credentialOf(own), own).toBe('none');
    for (const foreign of [
      'localhost',
      '127.0.0.1',
      'localhost:1',
      `192.0.2.7:${port}`,
      `k.example:${port}`,
      `127.0.0.1.evil.example:${port}`,
      `localhost.evil.example:${port}`,
    ]) {
      expect(await credentialOf(foreign), foreign).toBe('bootstrap-key');
      expect((await callSetup(server.url, 'POST', { host: foreign })).status, foreign).toBe(401);
    }
    for (const sign of [
      'Forwarded',
      'X-Forwarded-For',
      'X-Forwarded-Proto',
      'X-Forwarded-Host',
      'X-Real-IP',
      'Via',
    ])
      for (const value of ['', ['', '127.0.0.1']])
        expect((await callSetup(server.url, 'POST', { [sign]: value })).status, sign).toBe(401);
    expect((await callSetup(server.url, 'POST')).status).toBe(201);
  });
});
