import type { Socket } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Asked, answerTo, keyOf, startPool } from './plain-pool.fixture.ts';

/** What a hostile or broken service does with a request. */
const acts = [
  'answer', // as it should
  'answer twice', // in one piece
  'answer, and again later', // after the next request has come
  'answer an earlier request', // of any connection
  'answer without an id',
  'half', // and nothing more until the next request
  'half, then end',
  'a byte too many',
  'interim first',
  'chunked',
  'end',
  'break',
  'nothing, then end',
] as const;
type Act = (typeof acts)[number];

function chunkedAnswer(id: string): string {
  return [
    'HTTP/1.1 200 OK',
    `x-request-id: ${id}`,
    'transfer-encoding: chunked',
    '',
    '10',
    keyOf(id),
    '0',
    '',
    '',
  ].join('\r\n');
}

/** Executes an act. Its answers always hold the key of the request whose id they have. */
function act(what: Act, { id, socket }: Asked, earlier: readonly string[], late: Map<Socket, string>) {
  const due = late.get(socket) ?? '';
  late.delete(socket);
  const own = answerTo(id);
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
      return write(answerTo(earlier.at(-2) ?? id));
    case 'answer without an id':
      return write(`HTTP/1.1 200 OK\r\ncontent-length: 16\r\n\r\n${keyOf(id)}`);
    case 'half':
      late.set(socket, own.slice(40));
      write(own.slice(0, 40));
      return setImmediate(() => socket.end());
    case 'half, then end':
      return socket.end(due + own.slice(0, -1), 'latin1');
    case 'a byte too many':
      return write(`${own}!`);
    case 'interim first':
      return write(`HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${own}`);
    case 'chunked':
      return write(chunkedAnswer(id));
    case 'end':
      return socket.end();
    case 'break':
      return socket.resetAndDestroy();
    default:
      return setImmediate(() => socket.end());
  }
}

test('no answer reaches another request, whatever a service does that has once answered properly', async () => {
  let script: Act[] = [];
  let turn = 0;
  const earlier: string[] = [];
  const late = new Map<Socket, string>();
  const { send, ask, pool, clock } = await startPool((asked) => {
    earlier.push(asked.id);
    const isProper = asked.id.startsWith('proper');
    act(isProper ? 'answer' : (script[turn++ % script.length] as Act), asked, earlier, late);
  });
  let number = 0;
  let served = 0;
  await ask('proper');
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...acts), { minLength: 1, maxLength: 12 }),
      fc.array(fc.nat(4), { minLength: 1, maxLength: 12 }),
      async (acted, groups) => {
        script = acted;
        turn = 0;
        for (const size of groups) {
          const ids = Array.from({ length: size }, () => `r${number++}`);
          const handlers = ids.map((id) => send(id));
          for (const [index, handler] of handlers.entries()) {
            const outcome = await handler.outcome;
            expect(handler.ended).toBe(1);
            if (outcome instanceof Error) continue;
            expect(outcome.body).toBe(keyOf(ids[index] as string));
            served++;
          }
        }
        // Undici would send these, and the test is of this pool.
        if (!pool.isUsable()) clock.advance(60_000);
      },
    ),
    { numRuns: 100 },
  );
  expect(served).toBeGreaterThan(100);
});
