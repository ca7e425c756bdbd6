import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { createManualClock } from '../../testing/manual-clock.ts';
import { openPlainPool, type PlainPool } from './plain-pool.ts';
import type { AnswerController, AnswerHandler } from './plain-request.ts';

/** How a request ended: the text of its answer, or what was wrong. */
type Outcome = { status: number; headers: IncomingHttpHeaders; body: string } | Error;

/** Collects an answer. */
class Collected implements AnswerHandler {
  readonly outcome: Promise<Outcome>;
  /** How often the request has ended. It must be once. */
  ended = 0;
  controller: AnswerController | null = null;
  isLeft = false;
  #resolve: (outcome: Outcome) => void = () => {};
  #head = { status: 0, headers: {} as IncomingHttpHeaders };
  #chunks: Buffer[] = [];

  constructor() {
    this.outcome = new Promise((resolve) => (this.#resolve = resolve));
  }

  onRequestStart(controller: AnswerController): void {
    if (this.isLeft) throw new Error('left');
    this.controller = controller;
  }

  onWholeAnswer(status: number, headers: IncomingHttpHeaders, body: string): void {
    this.#end({ status, headers, body });
  }

  onResponseStart(_controller: AnswerController, status: number, headers: IncomingHttpHeaders): void {
    this.#head = { status, headers };
  }

  onResponseData(_controller: AnswerController, chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#end({ ...this.#head, body: Buffer.concat(this.#chunks).toString('latin1') });
  }

  onResponseError(_controller: AnswerController, error: Error): void {
    this.#end(error);
  }

  #end(outcome: Outcome): void {
    this.ended++;
    this.#resolve(outcome);
  }
}

/** A request as the other side has got it. */
export interface Asked {
  id: string;
  socket: Socket;
  /** Which request on its connection it is, from 0 on. */
  turn: number;
}

/** A service of raw bytes, and a pool of connections to it. */
export async function startPool(onRequest: (asked: Asked) => void, limits: { keepAliveMs?: number } = {}) {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer({ noDelay: true }, (socket) => {
    connections++;
    sockets.add(socket);
    socket.setEncoding('latin1');
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    let text = '';
    let turn = 0;
    socket.on('data', (chunk) => {
      text += chunk;
      for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
        const id = /^x-request-id: (.*)$/m.exec(text.slice(0, end))?.[1]?.trim() ?? '';
        text = text.slice(end + 4);
        onRequest({ id, socket, turn: turn++ });
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clock = createManualClock();
  const times = { connectTimeoutMs: 60_000, keepAliveMs: 60_000, bodyTimeoutMs: 60_000, ...limits };
  const pool = openPlainPool({ origin, clock, ...times }) as PlainPool;
  onTestFinished(async () => {
    pool.destroy();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const send = (id: string, headers: readonly string[] = []) => {
    const handler = new Collected();
    pool.send(`/keys/${id}`, id, ['x-request-id', id, ...headers], handler);
    return handler;
  };
  const ask = (id: string) => send(id).outcome;
  return { pool, clock, send, ask, sockets, connections: () => connections };
}

export const keyOf = (id: string) => `key of ${id}`.padEnd(16).slice(0, 16);
export const answerTo = (id: string, ...lines: string[]) =>
  ['HTTP/1.1 200 OK', `x-request-id: ${id}`, 'content-length: 16', ...lines, '', keyOf(id)].join('\r\n');
