import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { type GatewayFixture, serveInTest, startGatewayInTest } from './forwarding.fixture.ts';

/** A request as a service got it: the id that the gateway gave it, and whose it is. */
interface Asked {
  id: string;
  viewer: string;
  socket: Socket;
  /** Which request on its connection it is, from 0 on. */
  turn: number;
}

/** A service that answers with bytes. */
async function startRaw(answer: (asked: Asked) => void) {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer({ noDelay: true }, (socket) => {
    connections++;
    sockets.add(socket);
    socket.setEncoding('latin1');
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    let turn = 0;
    socket.on('data', (text) => {
      const head = String(text);
      const of = (name: string) => new RegExp(`^${name}: (.*)\r$`, 'm').exec(head)?.[1] ?? '';
      if (head.startsWith('GET /health')) socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
      else answer({ id: of('x-request-id'), viewer: of('authorization'), socket, turn: turn++ });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, connections: () => connections };
}

const answerTo = ({ id, viewer }: Asked) =>
  `HTTP/1.1 200 OK\r\nx-request-id: ${id}\r\ncontent-length: ${viewer.length}\r\n\r\n${viewer}`;

/** Asks for a key. The answer of `startRaw` names the viewer. */
async function ask(gateway: GatewayFixture, viewer: string, signal: AbortSignal | null = null) {
  const response = await fetch(`${gateway.url}/keys/film/0`, { headers: { authorization: viewer }, signal });
  return response.status === 200 ? response.text() : response.status;
}

const start = async (answer: (asked: Asked) => void) => {
  const service = await startRaw(answer);
  return { service, gateway: await startGatewayInTest([service.url]) };
};

test('a service that answers each second request with the answer to the one before gives no viewer the key of another', async () => {
  let before: Asked | null = null;
  let crossed = 0;
  const { gateway } = await start((asked) => {
    const isCrossed = asked.turn % 2 === 1 && before !== null;
    if (isCrossed) crossed++;
    asked.socket.write(answerTo(isCrossed && before ? before : asked));
    before = asked;
  });
  const outcomes = new Map<string, string | number>();
  for (let n = 0; n < 30; n++) outcomes.set(`viewer-${n}`, await ask(gateway, `viewer-${n}`));
  expect(crossed).toBeGreaterThan(5);
  for (const [viewer, outcome] of outcomes) expect([viewer, 503]).toContain(outcome);
  expect([...outcomes].filter(([viewer, outcome]) => viewer === outcome).length).toBeGreaterThan(15);
});

test('an answer that a viewer left does not reach the viewer who comes next', async () => {
  const held: Asked[] = [];
  const { gateway, service } = await start((asked) => {
    if (asked.viewer === 'leaves') held.push(asked);
    else asked.socket.write(answerTo(asked));
  });
  expect(await ask(gateway, 'first')).toBe('first');
  const leaving = new AbortController();
  const left = ask(gateway, 'leaves', leaving.signal).catch(() => 'left');
  while (held.length === 0) await new Promise(setImmediate);
  leaving.abort();
  expect(await left).toBe('left');
  await gateway.linesWritten(2);
  const [asked] = held as [Asked];
  asked.socket.write(answerTo(asked));
  for (const viewer of ['next', 'last']) expect(await ask(gateway, viewer)).toBe(viewer);
  // The connection of the one who left has ended.
  if (!asked.socket.closed) await once(asked.socket, 'close');
  expect(service.connections()).toBe(2);
});

test('a head that is too large for the service gets its 431, which names no request, and no 503', async () => {
  const service = await serveInTest((request, response) =>
    response.writeHead(200, { 'x-request-id': String(request.headers['x-request-id']) }).end('ok'),
  );
  const gateway = await startGatewayInTest([service.url]);
  const statuses = new Set<number>();
  // The gateway takes heads of up to 16 KiB, and adds some 200 bytes.
  for (let bytes = 15_000; bytes < 16_400; bytes += 50) {
    const headers = { 'x-filler': 'a'.repeat(bytes) };
    statuses.add((await fetch(`${gateway.url}/keys/film/0`, { headers })).status);
  }
  expect(statuses).toEqual(new Set([200, 431]));
  expect(gateway.faults).toEqual([]);
});

/** The reactions of a hostile or broken service to a request. */
const acts = [
  'answer', // as it should
  'answer twice', // in one piece
  'answer, and again later', // after the next request has come
  'answer an earlier request', // of any connection
  'half, then end',
  'a byte too many',
  'interim first',
  'two lengths',
  'end',
  'break',
] as const;
type Act = (typeof acts)[number];

/** Executes an act. Its answers always name the viewer of the request whose id they have. */
function act(what: Act, asked: Asked, earlier: readonly Asked[], late: Map<Socket, string>) {
  const { socket } = asked;
  const due = late.get(socket) ?? '';
  late.delete(socket);
  const own = answerTo(asked);
  const write = (text: string) => socket.write(due + text, 'latin1');
  switch (what) {
    case 'answer':
      return write(own);
    case 'answer twice':
      return write(own + own);
    case 'answer, and again later':
      late.set(socket, own);
      return write(own);
    case 'answer an earlier request':
      return write(answerTo(earlier.at(-2) ?? asked));
    case 'half, then end':
      return socket.end(due + own.slice(0, -1), 'latin1');
    case 'a byte too many':
      return write(`${own}!`);
    case 'interim first':
      return write(`HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${own}`);
    case 'two lengths':
      return write(own.replace('content-length', 'content-length: 3\r\ncontent-length'));
    case 'end':
      return socket.end();
    default:
      return socket.resetAndDestroy();
  }
}

test('no viewer gets the answer of another, whatever a service does that has once answered properly', async () => {
  let script: Act[] = ['answer'];
  let turn = 0;
  let number = 0;
  let served = 0;
  const earlier: Asked[] = [];
  const late = new Map<Socket, string>();
  const { gateway } = await start((asked) => {
    earlier.push(asked);
    act(script[turn++ % script.length] as Act, asked, earlier, late);
  });
  await ask(gateway, 'proper');
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...acts), { minLength: 1, maxLength: 12 }),
      fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 6 }),
      async (acted, groups) => {
        script = acted;
        turn = 0;
        for (const size of groups) {
          const viewers = Array.from({ length: size }, () => `viewer-${number++}`);
          for (const [index, outcome] of (
            await Promise.all(viewers.map((one) => ask(gateway, one)))
          ).entries()) {
            expect([viewers[index], 503]).toContain(outcome);
            if (outcome !== 503) served++;
          }
        }
      },
    ),
    { numRuns: 50 },
  );
  expect(served).toBeGreaterThan(50);
});
