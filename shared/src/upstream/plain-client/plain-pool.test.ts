import { once } from 'node:events';
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { createManualClock } from '../../testing/manual-clock.ts';
import { type Asked, answerTo, keyOf, startPool } from './plain-pool.fixture.ts';
import { openPlainPool } from './plain-pool.ts';

const settle = async (turns = 5) => {
  for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
};

test('requests one after the other use one connection, and requests at the same time use one each', async () => {
  const { ask, connections } = await startPool(({ id, socket }) => socket.write(answerTo(id), 'latin1'));
  for (let n = 0; n < 20; n++) expect(await ask(`a${n}`)).toMatchObject({ body: keyOf(`a${n}`) });
  expect(connections()).toBe(1);
  await Promise.all(Array.from({ length: 8 }, (_, n) => ask(`b${n}`)));
  expect(connections()).toBe(8);
});

test('an answer in pieces of one byte is the same as one in one piece', async () => {
  const { ask } = await startPool(async ({ id, socket }) => {
    for (const byte of answerTo(id)) {
      socket.write(byte, 'latin1');
      await new Promise(setImmediate);
    }
  });
  for (const id of ['a', 'b']) expect(await ask(id)).toMatchObject({ status: 200, body: keyOf(id) });
});

test('an address that repeats no ids is left to undici for a minute, and its first answer is used', async () => {
  const { pool, clock, ask, connections } = await startPool(({ socket }) =>
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok`),
  );
  expect(pool.isUsable()).toBe(true);
  expect(await ask('one')).toMatchObject({ status: 200, body: 'ok' });
  expect(pool.isUsable()).toBe(false);
  clock.advance(60_000);
  expect(pool.isUsable()).toBe(true);
  expect(await ask('two')).toMatchObject({ body: 'ok' });
  expect(connections()).toBe(2);
});

test('an address that repeated ids and does so no longer is left to undici, without any of its answers being used', async () => {
  let changes = false;
  const { pool, ask, sockets } = await startPool(({ id, socket }) =>
    socket.end(answerTo(changes ? 'changed' : id, 'connection: close')),
  );
  expect(await ask('one')).toMatchObject({ body: keyOf('one') });
  changes = true;
  expect(await ask('two')).toMatchObject({ code: 'ECONNRESET' });
  expect(pool.isUsable()).toBe(false);
  await settle();
  expect(sockets.size).toBeLessThanOrEqual(1);
});

test('bytes that arrive while no request is in progress end their connection', async () => {
  const { ask, sockets, connections } = await startPool(({ id, socket }) => socket.write(answerTo(id)));
  await ask('one');
  const [socket] = sockets as unknown as [Socket];
  socket.write(answerTo('two'));
  await once(socket, 'close');
  expect(await ask('two')).toMatchObject({ body: keyOf('two') });
  expect(connections()).toBe(2);
});

test('a request on a connection that the other side has closed fails as one that can be repeated', async () => {
  const { ask, connections } = await startPool(({ id, socket, turn }) =>
    turn === 0 ? socket.write(answerTo(id)) : socket.destroy(),
  );
  await ask('one');
  expect(await ask('two')).toMatchObject({ code: 'ECONNRESET' });
  expect(await ask('three')).toMatchObject({ status: 200 });
  expect(connections()).toBe(2);
});

test('idle connections of a process that has ended are not used for its successor', async () => {
  const { ask, sockets, connections } = await startPool(({ id, socket }) => socket.write(answerTo(id)));
  await Promise.all(['a', 'b', 'c'].map(ask));
  const closed = [...sockets].map((socket) => once(socket, 'close'));
  for (const socket of sockets) socket.end();
  await Promise.all(closed);
  await settle();
  expect(await Promise.all(['d', 'e', 'f'].map(ask))).toMatchObject(
    ['d', 'e', 'f'].map((id) => ({ body: keyOf(id) })),
  );
  expect(connections()).toBe(6);
});

test.each(['connection: close', 'keep-alive: timeout=1'])(
  'a connection is not used again after an answer with "%s"',
  async (line) => {
    const { ask, connections } = await startPool(({ id, socket }) => socket.write(answerTo(id, line)));
    for (const id of ['a', 'b', 'c']) expect(await ask(id)).toMatchObject({ status: 200 });
    expect(connections()).toBe(3);
  },
);

test('an idle connection is closed after its time', async () => {
  const { ask, sockets } = await startPool(({ id, socket }) => socket.write(answerTo(id)), {
    keepAliveMs: 20,
  });
  await ask('one');
  const [socket] = sockets as unknown as [Socket];
  if (!socket.closed) await once(socket, 'close');
  expect(await ask('two')).toMatchObject({ status: 200 });
});

test('a thousand requests that are left while they wait end once each, and later ones get their own answers', async () => {
  const { send, ask } = await startPool(({ id, socket }) => {
    if (!id.startsWith('left')) socket.write(answerTo(id));
  });
  let left = 0;
  for (let round = 0; round < 10; round++) {
    const some = Array.from({ length: 100 }, (_, n) => send(`left-${round}-${n}`));
    if (round % 2 === 0) await settle(2);
    for (const one of some) {
      one.isLeft = true;
      one.controller?.abort(new Error('left'));
    }
    await Promise.all(some.map(({ outcome }) => outcome));
    expect(some.every(({ ended }) => ended === 1)).toBe(true);
    left += some.length;
  }
  expect(left).toBe(1_000);
  expect(await ask('stays')).toMatchObject({ body: keyOf('stays') });
});

test('a header that could end its line is not sent, and its request fails', async () => {
  const { send, connections } = await startPool(() => {});
  for (const value of ['a\r\nx: b', 'a\nb', 'a\rb', 'a\0b', 'a\u0100b'])
    expect(await send('one', ['x-odd', value]).outcome).toBeInstanceOf(Error);
  expect(connections()).toBe(0);
});

test('a closed pool lets the requests in progress end, closes idle connections, and sends nothing more', async () => {
  const held: Asked[] = [];
  const { pool, ask, send, sockets, connections } = await startPool((asked) => {
    if (asked.id === 'slow') held.push(asked);
    else asked.socket.write(answerTo(asked.id));
  });
  await Promise.all(['a', 'b'].map(ask));
  const slow = send('slow');
  while (held.length === 0) await settle();
  const [{ socket }] = held as [Asked];
  const others = [...sockets].filter((one) => one !== socket).map((one) => once(one, 'close'));
  pool.close();
  await Promise.all(others);
  expect(await ask('later')).toMatchObject({ syscall: 'connect' });
  socket.write(answerTo('slow'));
  expect(await slow.outcome).toMatchObject({ body: keyOf('slow') });
  if (!socket.closed) await once(socket, 'close');
  expect([sockets.size, connections(), slow.ended]).toEqual([0, 2, 1]);
});

test('a destroyed pool ends the requests in progress, each once', async () => {
  const held: Asked[] = [];
  const { pool, send } = await startPool((asked) => void held.push(asked));
  const sent = ['a', 'b', 'c'].map((id) => send(id));
  while (held.length < 3) await settle();
  pool.destroy();
  for (const { outcome } of sent) expect(await outcome).toBeInstanceOf(Error);
  expect(await send('later').outcome).toBeInstanceOf(Error);
  expect(sent.map(({ ended }) => ended)).toEqual([1, 1, 1]);
});

test('an origin with TLS has no such pool', () => {
  const limits = { connectTimeoutMs: 1, keepAliveMs: 1, bodyTimeoutMs: 1 };
  expect(openPlainPool({ origin: 'https://127.0.0.1:1', clock: createManualClock(), ...limits })).toBe(null);
});
