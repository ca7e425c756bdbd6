import { once } from 'node:events';
import { connect } from 'node:net';
import { findLine } from '@latchkey/support/black-box/request-lines';
import { listedOrigin as listed } from '@latchkey/support/black-box/shared-settings';
import { openShared } from '@latchkey/support/black-box/target';
import { expect, it } from 'vitest';

const server = await openShared('every-route');

/** Sends text unchanged, and reads until the server closes the connection. */
async function send(text: string): Promise<{ status: number; headers: Headers; body: string }> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  let read = '';
  socket.setEncoding('latin1').on('data', (chunk) => {
    read += chunk;
  });
  // A server that refuses may close before all of it was sent.
  socket.on('error', () => {});
  socket.write(text, 'latin1');
  await once(socket, 'close');
  const [head = '', body = ''] = read.split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const pairs = lines.map((line): [string, string] => {
    const at = line.indexOf(':');
    return [line.slice(0, at), line.slice(at + 1).trim()];
  });
  return { status: Number(first.split(' ')[1]), headers: new Headers(pairs), body };
}

const head = `Host: a\r\nOrigin: ${listed}\r\nConnection: close\r\n`;
/** The server reads a body only after it has checked the credential. */
const asAdmin = `Authorization: Bearer ${server.adminApiKey}\r\n`;
const refused: [what: string, text: string, status: number][] = [
  ['a path that cannot be decoded', `GET /keys/%zz HTTP/1.1\r\n${head}\r\n`, 400],
  ['a request without a Host', `GET /health HTTP/1.1\r\nOrigin: ${listed}\r\nConnection: close\r\n\r\n`, 400],
  ['text that is not HTTP', `GET /health HTTP/1.1\r\n${head}no header\r\n\r\n`, 400],
  ['a request with two Hosts', `GET /health HTTP/1.1\r\n${head}Host: b\r\n\r\n`, 400],
  ['a request with the same Host twice', `GET /health HTTP/1.1\r\n${head}Host: a\r\n\r\n`, 400],
  ['a request with two Hosts in HTTP/1.0', `GET /health HTTP/1.0\r\n${head}Host: b\r\n\r\n`, 400],
  ['a path with a fragment', `GET /keys/a#b HTTP/1.1\r\n${head}\r\n`, 400],
  ['headers that are too large', `GET /health HTTP/1.1\r\n${head}X-Long: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ['a path that is too long', `GET /keys/${'x'.repeat(20_000)} HTTP/1.1\r\n${head}\r\n`, 431],
  [
    'a body that is too large',
    `POST /api/v1/content HTTP/1.1\r\n${head}${asAdmin}Content-Type: application/json\r\nContent-Length: 70000\r\n\r\n`,
    413,
  ],
  [
    'a body that breaks off',
    `POST /api/v1/content HTTP/1.1\r\n${head}${asAdmin}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nno size\r\n`,
    400,
  ],
  ['a tunnel', `CONNECT example.com:443 HTTP/1.1\r\n${head}\r\n`, 405],
];

it.each(refused)(
  'a page of a listed origin can read why %s is refused, and the refusal has its line in the log',
  async (_what, text, status) => {
    const { headers, body, status: answered } = await send(text);
    expect(answered).toBe(status);
    expect(headers.get('content-type')).toBe('application/problem+json');
    expect(headers.get('access-control-allow-origin')).toBe(listed);
    expect(headers.get('vary')?.toLowerCase().split(/, */)).toEqual(['origin']);
    const requestId = headers.get('x-request-id');
    const problem = JSON.parse(body);
    expect(problem).toMatchObject({ status, requestId });
    if (status === 400) {
      expect(problem.code).toBe('VALIDATION_FAILED');
      expect(problem.errors).toEqual([{ path: expect.any(String), message: expect.any(String) }]);
    }
    expect(await findLine(server.process, requestId)).toMatchObject({ status });
  },
);

it('a page of an unlisted origin gets no CORS header if its request is refused before it is read', async () => {
  for (const [, text] of refused) {
    const { headers } = await send(text.replace(listed, 'https://evil.example'));
    expect(headers.get('access-control-allow-origin')).toBeNull();
    expect(headers.get('vary')?.toLowerCase()).toBe('origin');
  }
});

const blanks = { spaces: ' ', tabs: '\t' } as const;

it.each(Object.entries(blanks))(
  'a malformed request whose Origin is 16 KiB of %s is answered, and so are all others',
  async (_what, blank) => {
    // The line has no end, so a search that gives blanks back tries every way to share them.
    const endless = `GET / HTTP/1.1\r\nHost: a\r\nA: \x01\r\nOrigin: ${blank.repeat(16_000)}`;
    const answers = [send(endless), send(endless)];
    const others = await Promise.all(
      Array.from({ length: 10 }, () => send(`GET /health HTTP/1.1\r\n${head}\r\n`)),
    );
    expect(others.map(({ status }) => status)).toEqual(Array(10).fill(200));
    for (const { status, headers } of await Promise.all(answers)) {
      expect([status, headers.get('access-control-allow-origin')]).toEqual([400, null]);
    }
    // Blanks around an origin do not belong to it (RFC 9110 section 5.5).
    const spaced = `${blank.repeat(8_000)}${listed}${blank.repeat(7_000)}`;
    const around = await send(`GET / HTTP/1.1\r\nHost: a\r\nOrigin: ${spaced}\r\nA: \x01\r\n\r\n`);
    expect([around.status, around.headers.get('access-control-allow-origin')]).toEqual([400, listed]);
  },
);

it('a request to upgrade the connection is answered like any other, and has its line in the log', async () => {
  const upgrade = 'Connection: Upgrade, close\r\nUpgrade: websocket\r\n';
  const { status, headers } = await send(
    `GET /health HTTP/1.1\r\nHost: a\r\nOrigin: ${listed}\r\n${upgrade}\r\n`,
  );
  expect([status, headers.get('access-control-allow-origin')]).toEqual([200, listed]);
  await findLine(server.process, headers.get('x-request-id'));
});
