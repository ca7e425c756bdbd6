import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { startHost } from './host.fixture.ts';

let host: Awaited<ReturnType<typeof startHost>>;
beforeEach(async () => {
  host = await startHost();
});
afterEach(() => host.app.close());

/** The head and the first bytes of a request that announces more of them. */
const cut = (request: string) =>
  `${request} HTTP/1.1\r\nhost: a\r\nx-request-id: mine\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n0123456789`;

function open(text: string): { socket: Socket; all: () => Promise<string> } {
  const socket = connect(host.port, '127.0.0.1');
  let read = '';
  socket.on('data', (chunk) => {
    read += chunk;
  });
  socket.on('error', () => {});
  socket.write(text);
  const closed = once(socket, 'close');
  return { socket, all: () => closed.then(() => read) };
}

/** The lines of the log, once one more request has left its own behind them. */
async function linesBefore(count: number) {
  await fetch(`${host.url}/things`);
  const lines = await host.linesWritten(count + 1);
  expect(lines.at(-1)).toMatchObject({ method: 'GET', route: '/things' });
  return lines.slice(0, -1);
}

describe('a body that breaks off', () => {
  const failed = { requestId: 'mine', method: 'POST', status: 400, code: 'VALIDATION_FAILED' };

  test('a body that breaks off gets 400 with the id of its request, and one line in the log', async () => {
    const { socket, all } = open(cut('POST /things'));
    socket.end();
    expect(await all()).toMatch(/^HTTP\/1.1 400 .*x-request-id: mine\r\n.*"requestId":"mine"/s);
    expect(await linesBefore(1)).toMatchObject([{ ...failed, route: '/things' }]);
  });

  test('a body that breaks off before its request reads it gets 400, and one line in the log', async () => {
    const { socket, all } = open(cut('POST /slow'));
    const proceed = await host.slowRequest();
    const ended = once(host.app.server, 'clientError');
    socket.end();
    await ended;
    proceed();
    expect(await all()).toMatch(/^HTTP\/1.1 400 /);
    expect(await linesBefore(1)).toMatchObject([{ ...failed, route: '/slow' }]);
  });

  test('a client that resets its connection within a body gets one log line with 499, and no message for the operator', async () => {
    const { socket } = open(cut('POST /things'));
    await once(host.app.server, 'request');
    socket.resetAndDestroy();
    await host.linesWritten(1);
    expect(await linesBefore(1)).toMatchObject([{ requestId: 'mine', route: '/things', status: 499 }]);
    expect(host.operatorLines).toEqual([]);
  });

  test('a body that breaks off after the answer adds no answer and no log line', async () => {
    const { socket, all } = open(cut('POST /none'));
    await once(socket, 'data');
    socket.end();
    expect((await all()).match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 404']);
    expect(await linesBefore(1)).toMatchObject([{ requestId: 'mine', status: 404 }]);
  });

  test('a broken body that no handler reads does not change the answer, but closes the connection', async () => {
    const { socket, all } = open(cut('GET /slow'));
    const proceed = await host.slowRequest();
    const ended = once(host.app.server, 'clientError');
    socket.end();
    await ended;
    proceed();
    expect(await all()).toMatch(/^HTTP\/1.1 200 .*connection: close\r\n/s);
    expect(await linesBefore(1)).toMatchObject([{ requestId: 'mine', status: 200 }]);
  });
});

test('input that is not HTTP after a complete body has its own log line', async () => {
  const head =
    'POST /things HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 12\r\n\r\n';
  const { socket, all } = open(`${head}{"name":"x"}`);
  await once(socket, 'data');
  socket.write('NONSENSE\r\n\r\n');
  expect((await all()).match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
  expect((await linesBefore(2)).map(({ method, status }) => [method, status])).toEqual([
    ['POST', 200],
    ['', 400],
  ]);
});

describe('a request that does not arrive in time', () => {
  const tooLate = () => Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });

  /** A connection of which the server has read the text, and its end of it. */
  async function connectAndSend(text: string) {
    const connected = once(host.app.server, 'connection');
    const peer = open(text);
    const [served] = (await connected) as [Socket];
    await vi.waitFor(() => expect(served.bytesRead).toBe(text.length), { timeout: 20_000, interval: 5 });
    return { ...peer, served };
  }

  test('a request that does not arrive in time gets 400 and one line in the log', async () => {
    const { served, all } = await connectAndSend('GET /things HTTP/1.1\r\n');
    host.app.server.emit('clientError', tooLate(), served);
    expect(await all()).toMatch(/^HTTP\/1.1 400 .*took too long to arrive/s);
    expect(await linesBefore(1)).toMatchObject([{ status: 400, code: 'VALIDATION_FAILED' }]);
  });

  test('a connection on which nothing was sent gets no answer and no log line', async () => {
    const { served, all } = await connectAndSend('');
    host.app.server.emit('clientError', tooLate(), served);
    expect(await all()).toBe('');
    expect(await linesBefore(0)).toEqual([]);
  });
});

test('the request log has one line, with 499, for a client that left before its answer', async () => {
  const { socket } = open('GET /slow HTTP/1.1\r\nhost: a\r\n\r\n');
  const finish = await host.slowRequest();
  socket.destroy();
  expect(await host.linesWritten(1)).toMatchObject([{ route: '/slow', status: 499 }]);
  finish();
  expect(await linesBefore(1)).toHaveLength(1);
});
