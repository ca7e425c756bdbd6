import { request } from 'node:http';
import { Duplex } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MalformedAnswer, readAnswer } from './read-answer.ts';

const key = '\x00\xff0123456789abcd';
const usual = [
  'HTTP/1.1 200 OK',
  'x-request-id: one',
  'Cache-Control:no-store',
  'X-Empty:',
  'vary: \t a ,b \t',
  'set-cookie: a=1',
  'set-cookie: b=2',
  'content-length: 16',
  '',
  key,
].join('\r\n');
const answer = (...lines: string[]) => `HTTP/1.1 200 OK\r\n${lines.join('\r\n')}`;

/** What Node's own client reads; null if it finds a fault, or waits for more. */
function readByNode(text: string): Promise<{ status: number; body: string } | null> {
  const stream = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  return new Promise((resolve) => {
    const asked = request({ createConnection: () => stream, path: '/' });
    asked.on('error', () => resolve(null));
    asked.on('close', () => resolve(null));
    asked.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('error', () => resolve(null));
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('latin1') }),
      );
    });
    asked.end();
    stream.push(Buffer.from(text, 'latin1'));
    stream.push(null);
  });
}

test('an answer of the usual form is read with its status, its headers in lower case and its body byte for byte', () => {
  expect(readAnswer(usual)).toEqual({
    status: 200,
    headers: {
      'x-request-id': 'one',
      'cache-control': 'no-store',
      'x-empty': '',
      vary: 'a ,b',
      'set-cookie': ['a=1', 'b=2'],
      'content-length': '16',
    },
    body: key,
    keepsConnection: true,
  });
});

test('the beginning of an answer, wherever it is cut, is never taken for an answer', () => {
  for (let length = 0; length < usual.length; length++)
    expect(readAnswer(usual.slice(0, length)), String(length)).toBe('more');
});

test('bytes beyond the announced length are refused, be it one byte or a second answer', () => {
  for (const more of ['\0', '\r\n', usual]) expect(() => readAnswer(usual + more)).toThrow(MalformedAnswer);
});

test.each([
  ['no status line', 'hello'],
  ['another protocol', 'RTSP/1.0 200 OK\r\n\r\n'],
  ['a newer version', 'HTTP/2.0 200 OK\r\n\r\n'],
  ['a status of two digits', 'HTTP/1.1 20 OK\r\ncontent-length: 0\r\n\r\n'],
  ['a line end before the status line', '\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'],
  ['an upgrade', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n'],
  ['a folded line', answer('x: 1', ' 2', 'content-length: 0', '', '')],
  ['a space before a colon', answer('content-length : 0', '', '')],
  ['a header without a colon', answer('content-length', '', '')],
  ['a header without a name', answer(': 0', '', '')],
  ['a zero byte', answer('x: \0', 'content-length: 0', '', '')],
  ['a carriage return alone', answer('x: a\rb', 'content-length: 0', '', '')],
  ['a line feed alone', answer('x: a\nb: c', 'content-length: 0', '', '')],
  ['two lengths', answer('content-length: 2', 'content-length: 3', '', 'ok')],
  ['the same length twice', answer('content-length: 2', 'Content-Length: 2', '', 'ok')],
  ['a list of lengths', answer('content-length: 2, 2', '', 'ok')],
  ['a length with a sign', answer('content-length: +2', '', 'ok')],
  ['an empty length', answer('content-length:', '', '')],
  ['a length beside a transfer coding', answer('transfer-encoding: chunked', 'content-length: 2', '', 'ok')],
  ['a head over 16 KiB', answer(`x: ${'a'.repeat(17_000)}`, 'content-length: 0', '', '')],
  ['a head over 16 KiB without an end', answer(`x: ${'a'.repeat(17_000)}`)],
])('an answer is refused that has %s', (_what, text) => {
  expect(() => readAnswer(text)).toThrow(MalformedAnswer);
});

test.each([
  ['an interim answer', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'],
  ['a transfer coding', answer('transfer-encoding: chunked', '', '')],
  ['no length', answer('', '')],
  ['a length of many digits', answer('content-length: 99999999999999999999', '', '')],
  ['a status without a body', 'HTTP/1.1 204 No Content\r\n\r\n'],
  ['the older version', 'HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n'],
])('a valid answer of another form is recognized by its head: %s', (_what, text) => {
  expect(readAnswer(text)).toBe('other');
});

test.each([
  ['close', false],
  ['Keep-Alive, Close', false],
  ['x-hop', true],
  ['disclosed', true],
])('after an answer with "Connection: %s" the connection is used again: %s', (value, keepsConnection) => {
  expect(readAnswer(answer('content-length: 0', `connection: ${value}`, '', ''))).toMatchObject({
    keepsConnection,
  });
});

describe('compared with the parser of Node', () => {
  const pieces = [
    '\r',
    '\n',
    '\r\n',
    ' ',
    '\t',
    ':',
    '\0',
    '\x7f',
    '0',
    '1',
    'content-length: 3\r\n',
    'HTTP/1.1 ',
  ];
  const change = fc.record({
    at: fc.nat(usual.length),
    remove: fc.nat(3),
    insert: fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'binary-ascii', maxLength: 3 })),
  });

  test('whatever bytes of an answer are changed, what is taken for an answer is the answer that Node reads', async () => {
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
        let text = usual;
        for (const { at, remove, insert } of changes)
          text = text.slice(0, at) + insert + text.slice(at + remove);
        let read: ReturnType<typeof readAnswer>;
        try {
          read = readAnswer(text);
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedAnswer);
          return;
        }
        if (typeof read === 'string') return;
        taken++;
        expect({ status: read.status, body: read.body }, JSON.stringify(text)).toEqual(
          await readByNode(text),
        );
      }),
      { numRuns: 2_000 },
    );
    expect(taken).toBeGreaterThan(50);
  });
});
