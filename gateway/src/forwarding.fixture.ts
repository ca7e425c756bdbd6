import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CorsOrigins } from '@latchkey/shared/config';
import { createSetupOriginReader } from '@latchkey/shared/http';
import { createReadiness } from '@latchkey/shared/lifecycle';
import type { RequestLine } from '@latchkey/shared/log';
import { createMetrics } from '@latchkey/shared/metrics';
import type { TrustProxy } from '@latchkey/shared/net';
import { createManualClock } from '@latchkey/shared/testing';
import { createUpstream, type Upstream } from '@latchkey/shared/upstream';
import { onTestFinished } from 'vitest';
import { addForwarding } from './add-forwarding.ts';
import { createGatewayHost } from './gateway-host.ts';
import { openConnection, toRawRequest } from './raw-connection.fixture.ts';
import { type ServiceName, serviceNames } from './route-table.ts';

export const secret = 'the-internal-secret-of-a-test-0123456789';

/** A request as a fake service got it. */
interface Received {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  rawHeaders: string[];
  body: string;
}

export type FakeService = Awaited<ReturnType<typeof startService>>;

/** A service that a test makes up, on a free port of this machine. */
export async function startService(answer: RequestListener) {
  const received: Received[] = [];
  let probes = 0;
  let onCame = () => {};
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const { method = '', url = '', headers, rawHeaders } = request;
      if (url === '/health') probes++;
      else received.push({ method, url, headers, rawHeaders, body });
      onCame();
      answer(request, response);
    });
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    /** All requests but probes. */
    received,
    probes: () => probes,
    /** Resolves once this many requests have come. */
    async came(count: number): Promise<void> {
      while (received.length < count) await new Promise<void>((resolve) => (onCame = resolve));
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Addresses at which nothing listens: the system gives these ports to nobody. */
export const refusingUrls = [9, 8].map((port) => `http://127.0.0.1:${port}`);

/**
 * Resolves once the gateway has this many more answers of services, or their heads. Requests of the test itself do not count.
 */
export async function answersCome(count: number, part: 'heads' | 'whole' = 'whole'): Promise<void> {
  const channel = part === 'heads' ? 'undici:request:headers' : 'undici:request:trailers';
  let left = count;
  await new Promise<void>((resolve) => {
    const onMessage = (message: unknown) => {
      const { path, headers } = (message as { request: { path: string; headers: unknown } }).request;
      // Neither probes nor the test's own fetch, which a gateway sends on with the secret.
      const isFetch = String(headers).includes('sec-fetch-mode') && !String(headers).includes(secret);
      if (isFetch || path === '/health') return;
      if (--left > 0) return;
      unsubscribe(channel, onMessage);
      resolve();
    };
    subscribe(channel, onMessage);
  });
  await new Promise(setImmediate);
}

export type GatewayFixture = Awaited<ReturnType<typeof startGateway>>;

export interface GatewaySettings {
  corsOrigins?: CorsOrigins;
  trustProxy?: TrustProxy;
  answerLimitMs?: number;
  silentAfterMs?: number;
  /** To each address. */
  connections?: number;
}

/** Nobody is late where a test does not say so. */
const patientMs = 60_000;

const patient = {
  corsOrigins: [],
  trustProxy: { kind: 'none' },
  answerLimitMs: patientMs,
  silentAfterMs: patientMs,
  connections: 8,
} satisfies GatewaySettings;
const silentLog = { info: () => {}, warn: () => {}, error: () => {} };

/** A gateway on a free port before the services at the given addresses. The other services have no address. */
export async function startGateway(
  urls: Partial<Record<ServiceName, readonly string[]>>,
  settings: GatewaySettings = {},
) {
  const { corsOrigins, trustProxy, connections, ...limits } = { ...patient, ...settings };
  const clock = createManualClock();
  const lines: RequestLine[] = [];
  const faults: string[] = [];
  const shed: string[] = [];
  let onLine = (_count: number) => {};
  const readiness = createReadiness([], clock, () => {});
  const found = { lookup: async () => [], connections, onFault: () => {} };
  const openUpstream = (name: ServiceName) => createUpstream({ urls: urls[name] ?? [], ...found });
  const upstreams = openEach(openUpstream);
  const eventStreams = openUpstream('auth');
  const app = await createGatewayHost({
    version: '0.0.0',
    clock,
    values: {
      ...{ corsOrigins, trustProxy, viewerTokenFrom: ['header'] },
      ...{ overloadDelayMs: 'off', publicUrl: undefined, trustTraceparent: false },
    },
    readiness,
    requestLog: { write: (line) => onLine(lines.push(line)), flush: () => {} },
    log: silentLog,
    metrics: createMetrics(),
    tracer: null,
  });
  await addForwarding(app, {
    upstreams,
    eventStreams,
    secret,
    clock,
    tracer: null,
    setupOriginOf: createSetupOriginReader({}, clock),
    ...limits,
    onFault: (service, error) => void faults.push(`${service}: ${String(error)}`),
    onShed: (service, reason) => void shed.push(`${service} ${reason}`),
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const open = (text: string) => openConnection(port, text);
  return {
    ...{ port, url: `http://127.0.0.1:${port}`, lines, faults },
    /** Requests that were refused without being sent: the service and why. */
    shed,
    ...lineOf(upstreams['key-derivation']),
    /** Resolves once this many lines are written. */
    async linesWritten(count: number) {
      while (lines.length < count) await new Promise<void>((resolve) => (onLine = () => resolve()));
      return lines;
    },
    /** Sends bytes as they are. */
    open,
    /** Sends a request as it is written and reads its answer; `connection: close` is added. */
    raw: (head: string, body?: string) => open(toRawRequest(head, body)).all(),
    drain: readiness.drain,
    /** Moves the clock, and no timer. */
    passTime: (ms: number) => void clock.advance(ms),
    async close() {
      await app.close();
      await Promise.all([eventStreams, ...Object.values(upstreams)].map((upstream) => upstream.close()));
    },
  };
}

function openEach(open: (name: ServiceName) => Upstream): Record<ServiceName, Upstream> {
  return Object.fromEntries(serviceNames.map((name) => [name, open(name)])) as Record<ServiceName, Upstream>;
}

/** A service that goes away after the test. */
export async function serveInTest(answer: RequestListener) {
  const service = await startService(answer);
  onTestFinished(() => service.close());
  return service;
}

/**
 * A gateway that goes away after the test, before the services that it was started after.
 *
 * @param services those for keys and for leases, or their addresses
 */
export async function startGatewayInTest(services: (string | FakeService)[], settings?: GatewaySettings) {
  const urls = services.map((service) => (typeof service === 'string' ? service : service.url));
  const gateway = await startGateway({ 'key-derivation': urls, leases: urls }, settings);
  onTestFinished(() => gateway.close());
  return gateway;
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function lineOf({ line }: Upstream) {
  return {
    /** Resolves once this many requests wait for room at the service. */
    async waiting(count: number) {
      while (line.size < count) await new Promise(setImmediate);
    },
    /** Puts a waiting request into the line that is no real one. */
    fillLine(bytes: number) {
      const waiter = { bytes: () => bytes, admit() {}, refuse() {} };
      line.add(waiter);
      return { leave: () => line.remove(waiter) };
    },
  };
}
