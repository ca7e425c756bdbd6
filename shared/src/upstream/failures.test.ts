import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Pool } from 'undici';
import { describe, expect, test } from 'vitest';
import { brokeBeforeAnswer, tookNoConnection } from './failures.ts';

/** Discard (RFC 863): this machine has no listener there, and the system gives the port to nobody. */
const deadPort = 9;

/** undici's error when a server treats its connections like this. @param treat null for no server at all */
async function failureOf(treat: ((socket: Socket, pool: Pool) => void) | null): Promise<unknown> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    treat?.(socket, pool);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const pool = new Pool(`http://127.0.0.1:${treat === null ? deadPort : port}`);
  const failure = await pool.request({ method: 'POST', path: '/', body: '{}' }).catch((error) => error);
  await pool.destroy();
  server.close();
  return failure;
}
const failed = (code: string, syscall?: string) => Object.assign(new Error(code), { code, syscall });

describe('requests that were not started', () => {
  test('a request was not started if nothing listens', async () => {
    const failure = await failureOf(null);
    expect([tookNoConnection(failure), brokeBeforeAnswer(failure)]).toEqual([true, false]);
  });

  test('a request was not started if no connection was made, for any reason', () => {
    for (const code of ['EHOSTUNREACH', 'ENETUNREACH', 'ECONNREFUSED', 'ETIMEDOUT'])
      expect(tookNoConnection(failed(code, 'connect'))).toBe(true);
    expect(tookNoConnection(failed('ENOTFOUND', 'getaddrinfo'))).toBe(true);
    expect(tookNoConnection(failed('UND_ERR_CONNECT_TIMEOUT'))).toBe(true);
    expect(tookNoConnection(new AggregateError([failed('ECONNREFUSED', 'connect')]))).toBe(true);
  });

  test('a request was not started if its pool takes no more', async () => {
    const pool = new Pool('http://127.0.0.1:9');
    const closed = pool.close();
    const failure = await pool.request({ method: 'GET', path: '/' }).catch((error) => error);
    expect([failure.code, tookNoConnection(failure)]).toEqual(['UND_ERR_CLOSED', true]);
    await closed;
  });
});

describe('requests that may have been started', () => {
  test('a request may have been started where the connection ended after it was sent', async () => {
    for (const end of ['destroy', 'resetAndDestroy'] as const) {
      const failure = await failureOf((socket) => void socket.once('data', () => socket[end]()));
      expect([tookNoConnection(failure), brokeBeforeAnswer(failure)]).toEqual([false, true]);
    }
  });

  test('a request may have been started where its pool was destroyed while it was running', async () => {
    const failure = await failureOf((socket, pool) => void socket.once('data', () => void pool.destroy()));
    expect(failure).toMatchObject({ code: 'UND_ERR_DESTROYED' });
    expect(tookNoConnection(failure)).toBe(false);
  });

  test('a request may have been started where the network of an open connection was lost', () => {
    for (const syscall of ['read', 'write'])
      expect(tookNoConnection(failed('EHOSTUNREACH', syscall))).toBe(false);
    expect(
      tookNoConnection(new AggregateError([failed('ECONNREFUSED', 'connect'), failed('EPIPE', 'write')])),
    ).toBe(false);
    expect(tookNoConnection(new AggregateError([]))).toBe(false);
  });

  test('a request may have been started where the answer was not HTTP, and it is not repeated', async () => {
    const failure = await failureOf((socket) => void socket.once('data', () => socket.end('hello\r\n\r\n')));
    expect([tookNoConnection(failure), brokeBeforeAnswer(failure)]).toEqual([false, false]);
  });

  test('a request may have been started where the thrown value is not an error', () => {
    expect([tookNoConnection('text'), tookNoConnection(undefined), brokeBeforeAnswer(null)]).toEqual([
      false,
      false,
      false,
    ]);
  });
});
