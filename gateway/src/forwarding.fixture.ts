import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type Clock, createSystemClock } from '@latchkey/shared/clock';
import type { CorsOrigins } from '@latchkey/shared/config';
import type { TrustProxy } from '@latchkey/shared/http';
import { createReadiness } from '@latchkey/shared/lifecycle';
import type { RequestLine } from '@latchkey/shared/log';
import { createMetrics } from '@latchkey/shared/metrics';
import { createUpstream } from '@latchkey/shared/upstream';
import { onTestFinished } from 'vitest';
import { addForwarding } from './add-forwarding.ts';
import { createGateway } from './gateway.ts';
import { type ServiceName, serviceNames } from './route-table.ts';

export const secret = 'the-internal-secret-of-a-test-0123456789';

/** A request as a fake service got it. */
export interface Received {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  rawHeaders: string[];
  body: string;
}

/** A service that a test makes up, on a free port of this machine. */
export interface FakeService {
  url: string;
  received: Received[];
  /** Resolves once so many requests have come. */
  came(count: number): Promise<void>;
  close(): Promise<void>;
}

export async function startService(answer: RequestListener): Promise<FakeService> {
  const received: Received[] = [];
  let onCame = () => {};
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const { method = '', url = '', headers, rawHeaders } = request;
      received.push({ method, url, headers, rawHeaders, body });
      onCame();
      answer(request, response);
    });
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    async came(count) {
      while (received.length < count) await new Promise<void>((resolve) => (onCame = resolve));
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** An address at which nothing listens. */
export async function refusingUrl(): Promise<string> {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

export interface GatewayFixture {
  port: number;
  url: string;
  lines: RequestLine[];
  faults: string[];
  /** Resolves once so many lines are written. */
  linesWritten(count: number): Promise<RequestLine[]>;
  /** Sends octets as they are. */
  open(text: string): Connection;
  /** Sends a request as it is written and reads its answer; `connection: close` is added. */
  raw(head: string, body?: string): Promise<string>;
  drain(): void;
  close(): Promise<void>;
}

export interface Connection {
  socket: Socket;
  /** Resolves once the text has come. */
  reads(text: string): Promise<string>;
  /** Everything, once the other side has closed. */
  all(): Promise<string>;
}

export interface GatewaySettings {
  corsOrigins?: CorsOrigins;
  trustProxy?: TrustProxy;
  answerLimitMs?: number;
  doubtAfterMs?: number;
  /** To each address. */
  connections?: number;
  /** By which it tries again whom it looks away from; the system's where it is absent. */
  clock?: Clock;
}

/** A gateway on a free port before the services at the given addresses; those that are not given are nowhere. */
export async function startGateway(
  urls: Partial<Record<ServiceName, readonly string[]>>,
  {
    corsOrigins = [],
    trustProxy = { kind: 'none' },
    answerLimitMs,
    doubtAfterMs,
    connections = 8,
    clock = createSystemClock(),
  }: GatewaySettings = {},
): Promise<GatewayFixture> {
  const lines: RequestLine[] = [];
  const faults: string[] = [];
  let onLine = () => {};
  const readiness = createReadiness([], clock, () => {});
  const upstreams = Object.fromEntries(
    serviceNames.map((name) => [
      name,
      createUpstream({
        urls: urls[name] ?? [],
        lookup: async () => [],
        clock,
        connections,
        onFault: () => {},
      }),
    ]),
  ) as Record<ServiceName, ReturnType<typeof createUpstream>>;
  const app = await createGateway({
    version: '0.0.0',
    clock,
    trustProxy,
    corsOrigins,
    publicUrl: null,
    readiness,
    requestLog: {
      write(line) {
        lines.push(line);
        onLine();
      },
      flush: () => {},
    },
    operatorLog: { info: () => {}, warn: () => {}, error: () => {} },
    metrics: createMetrics(),
  });
  await addForwarding(app, {
    upstreams,
    secret,
    ...(answerLimitMs === undefined ? {} : { answerLimitMs }),
    ...(doubtAfterMs === undefined ? {} : { doubtAfterMs }),
    onFault: (service, error) => void faults.push(`${service}: ${String(error)}`),
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const open = (text: string) => openConnection(port, text);
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    lines,
    faults,
    async linesWritten(count) {
      while (lines.length < count) await new Promise<void>((resolve) => (onLine = resolve));
      return lines;
    },
    open,
    raw: (head, body = '') => {
      const lines = head
        .trim()
        .split('\n')
        .map((line) => line.trim());
      return open(`${lines.join('\r\n')}\r\nhost: a\r\nconnection: close\r\n\r\n${body}`).all();
    },
    drain: readiness.drain,
    async close() {
      await app.close();
      await Promise.all(Object.values(upstreams).map((upstream) => upstream.close()));
    },
  };
}

function openConnection(port: number, text: string): Connection {
  const socket = connect(port, '127.0.0.1');
  let read = '';
  let onRead = () => {};
  socket.setEncoding('latin1');
  socket.on('data', (chunk) => {
    read += chunk;
    onRead();
  });
  // A server that refuses may close before everything was sent.
  socket.on('error', () => {});
  socket.on('close', () => onRead());
  socket.write(text, 'latin1');
  return {
    socket,
    async reads(expected) {
      while (!read.includes(expected)) {
        if (socket.closed) throw new Error(`closed after ${JSON.stringify(read)}`);
        await new Promise<void>((resolve) => (onRead = resolve));
      }
      return read;
    },
    async all() {
      if (!socket.closed) await once(socket, 'close');
      return read;
    },
  };
}

/** A service that goes away after the test. */
export async function serveInTest(answer: RequestListener): Promise<FakeService> {
  const service = await startService(answer);
  onTestFinished(() => service.close());
  return service;
}

/**
 * A gateway that goes away after the test, before the services that it was started after.
 *
 * @param urls of the services for keys and for leases
 */
export async function startGatewayInTest(
  urls: string[],
  settings?: GatewaySettings,
): Promise<GatewayFixture> {
  const gateway = await startGateway({ 'key-derivation': urls, leases: urls }, settings);
  onTestFinished(() => gateway.close());
  return gateway;
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
