import { type AddressInfo, connect } from 'node:net';
import type { RequestLine } from '@latchkey/shared/log';
import { signToken } from '@latchkey/support/tokens';
import { expect, test } from 'vitest';
import {
  adminKey,
  get,
  kid,
  listCounted,
  type OddRequestNode,
  oddRequests,
  pageOrigin,
  playlistOrigin,
  readCounts,
} from './odd-key-requests.fixture.ts';
import { mountInTest, openGateway, openProcessInTest } from './single-node.fixture.ts';

const secret = '0123456789abcdef0123456789abcdef';

interface Answered {
  bytes: string;
  line: unknown;
  counted: string[];
}

/** A single node that listens, and what its requests need. */
interface Node extends OddRequestNode {
  /** @param request a request as text, without the empty line at its end */
  ask(request: string): Promise<Answered>;
  send(request: string): Promise<string>;
  /** Applies all changes so far. */
  settle(): Promise<void>;
  /** How many requests the router has got. */
  routed(): number;
}

async function startNode(): Promise<Node> {
  const lines: RequestLine[] = [];
  let onLine = () => {};
  let routed = 0;
  const node = await openProcessInTest({
    env: {
      ADMIN_API_KEY: adminKey,
      CORS_ORIGINS: pageOrigin,
      TRUST_PROXY: 'loopback',
      PUBLIC_URL: 'https://keys.example',
      PLAYLIST_ORIGINS: playlistOrigin,
    },
    openApp: async (base, values) => {
      const write = (line: RequestLine) => {
        lines.push(line);
        onLine();
      };
      const gateway = await openGateway({ write, flush: () => {} })(base, values);
      gateway.addHook('onRequest', async () => void routed++);
      return gateway;
    },
  });
  // By hand: a pull of the change feed in the middle would drop states between two requests that are compared.
  const pulls: (() => Promise<unknown>)[] = [];
  const repeat: typeof node.context.jobs.repeat = ({ failed, run }) => {
    if (failed.includes('change feed')) pulls.push(run);
  };
  await mountInTest({ ...node, context: { ...node.context, jobs: { ...node.context.jobs, repeat } } });
  const settle = async () => void (await Promise.all(pulls.map((pull) => pull())));
  const { app, clock, metrics } = node.context;
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const token: Node['token'] = (sub = 'ada', claims = {}) => {
    const now = Math.floor(clock.now() / 1_000);
    return signToken(secret, { sub, iat: now - 60, exp: now + 600, ...claims });
  };
  const call: Node['call'] = async (method, path, credential, body) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return (await response.json()) as Record<string, unknown>;
  };
  const send: Node['send'] = async (request) => {
    const count = lines.length;
    const bytes = await exchange(port, request);
    while (lines.length === count) await new Promise<void>((resolve) => (onLine = resolve));
    return bytes;
  };
  const ask: Node['ask'] = async (request) => {
    const before = await readCounts(metrics);
    const bytes = await send(request);
    const counted = listCounted(before, await readCounts(metrics));
    return { bytes: steady(bytes), line: steadyLine(lines.at(-1)), counted };
  };
  return { ask, send, call, token, settle, routed: () => routed };
}

async function exchange(port: number, request: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(`${request}\r\n\r\n`, 'latin1');
  let text = '';
  for await (const chunk of socket) {
    text += (chunk as Buffer).toString('latin1');
    const headEnd = text.indexOf('\r\n\r\n');
    const length = request.startsWith('HEAD') ? 0 : Number(/^content-length: (\d+)/im.exec(text)?.[1]);
    if (headEnd >= 0 && text.length >= headEnd + 4 + length) break;
  }
  socket.destroy();
  return text;
}

const madeId = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const steady = (text: string) => text.replace(/^date: .*$/im, 'date').replace(madeId, 'id');

function steadyLine(line: RequestLine | undefined): unknown {
  const { durationMs, ...rest } = line as RequestLine;
  expect(durationMs).toBeGreaterThan(0);
  return JSON.parse(JSON.stringify(rest).replace(madeId, 'id'));
}

/** A header that the plain way leaves to the router, and that changes nothing for a request without a body. */
const byRouter = '\r\ncontent-length: 0';

test('the plain way gives the same bytes, log line and counts as the router, for each of many odd requests', async () => {
  const node = await startNode();
  const requests = await oddRequests(node);
  await node.settle();
  const served: string[] = [];
  for (const request of requests) {
    // Afterwards the states are known for both, and the token is remembered.
    await node.send(request);
    const plain = await node.ask(request);
    const routed = await node.ask(request + byRouter);
    expect(plain, request).toEqual(routed);
    if (plain.bytes.startsWith('HTTP/1.1 200')) served.push(request);
  }
  // Both kinds are well represented.
  expect(served.length).toBeGreaterThan(25);
  expect(requests.length - served.length).toBeGreaterThan(35);
}, 60_000);

test('requests in one packet and after a refused one on the same connection get the same answers by both ways', async () => {
  const { ask, call, token } = await startNode();
  await call('POST', '/api/v1/content', adminKey, { id: 'film', name: 'Film' });
  const bearer = `authorization: Bearer ${token()}`;
  const film = get('/keys/film/0', bearer, 'x-request-id: one');
  const refused = [`POST /keys/film/0 HTTP/1.1`, 'host: a', 'transfer-encoding: gzip, chunked', '', '0'].join(
    '\r\n',
  );
  const last = (extra: string) =>
    get('/keys/film/0', bearer, 'x-request-id: two', 'connection: close') + extra;
  for (const first of [film, refused]) {
    const [plain, routed] = await Promise.all(
      ['', byRouter].map(async (extra) => ask(`${first}\r\n\r\n${last(extra)}`)),
    );
    expect(plain?.bytes).toBe(routed?.bytes);
  }
});

test('a key request by a known token or session for a known content never reaches the router, with and without a lease', async () => {
  const { ask, call, token, settle, routed } = await startNode();
  const playlistUrl = `${playlistOrigin}/film.m3u8`;
  await call('POST', '/api/v1/content', adminKey, { id: 'film', name: 'Film', playlistUrl });
  const { lease } = await call('POST', '/keys/leases', token(), { contentId: 'film' });
  const { session } = await call('POST', '/keys/sessions', token(), { contentId: 'film' });
  await settle();
  const bearer = `authorization: Bearer ${token()}`;
  const requests = [
    get('/keys/film/0', bearer),
    get('/keys/film/1', bearer, `x-lease-id: ${(lease as { id: string }).id}`, `origin: ${pageOrigin}`),
    get(`/keys/film/kid/${kid}`, bearer),
    get(`/keys/film/kid/${kid}?s=${(session as { id: string }).id}`),
    get(`/keys/film/2?s=${(session as { id: string }).id}`, 'origin: https://other.example'),
  ];
  for (const request of requests) await ask(request);
  const before = routed();
  for (const request of requests) expect((await ask(request)).bytes).toMatch(/^HTTP\/1.1 200/);
  expect(routed()).toBe(before);
});
