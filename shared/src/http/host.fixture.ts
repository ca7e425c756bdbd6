import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import type { RequestLine } from '../log/index.ts';
import { createMetrics } from '../metrics/metrics.ts';
import { Type } from '../schema/type.ts';
import { createHost } from './host.ts';
import type { App } from './routes.ts';

const BodySchema = Type.Object(
  { name: Type.String(), size: Type.Optional(Type.Integer()) },
  { additionalProperties: false },
);
const QuerySchema = Type.Object(
  { limit: Type.Optional(Type.Integer({ minimum: 1 })), q: Type.Optional(Type.String()) },
  { additionalProperties: false },
);

/** A host with a few routes, listening on a free loopback port. */
export async function startHost() {
  const lines: RequestLine[] = [];
  const operatorLines: unknown[] = [];
  const record = (message: string, facts?: object) => void operatorLines.push({ message, ...facts });
  const waiting: (() => void)[] = [];
  let onLine: () => void = () => {};
  let onWaiting: () => void = () => {};
  let given = 0;
  const app = createHost({
    randomId: () => `made-${++given}`,
    clientIpOf: (request) => request.socket.remoteAddress ?? '0.0.0.0',
    requestLog: {
      write(line) {
        lines.push(line);
        onLine();
      },
      flush: () => {},
    },
    operatorLog: { info: record, warn: record, error: record },
    metrics: createMetrics(),
  });
  const wait = () =>
    new Promise<void>((resolve) => {
      waiting.push(resolve);
      onWaiting();
    });
  addTestRoutes(app, wait);
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;

  /** Resolves once this many lines are written. */
  async function linesWritten(count: number): Promise<RequestLine[]> {
    while (lines.length < count) await new Promise<void>((resolve) => (onLine = resolve));
    return lines;
  }
  /** Resolves once a request waits in `/slow`. */
  async function slowRequest(): Promise<() => void> {
    while (waiting.length === 0) await new Promise<void>((resolve) => (onWaiting = resolve));
    return waiting.shift() as () => void;
  }
  /** Sends the bytes unchanged, and reads until the server closes the connection. */
  async function raw(text: string): Promise<string> {
    const socket = connect(port, '127.0.0.1');
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    // A server that refuses may close the connection before the client has sent every byte.
    socket.on('error', () => {});
    socket.write(text);
    await once(socket, 'close');
    return Buffer.concat(chunks).toString();
  }
  return { app, port, url: `http://127.0.0.1:${port}`, lines, operatorLines, linesWritten, slowRequest, raw };
}

function addTestRoutes(app: App, wait: () => Promise<void>): void {
  const config = { access: 'open' as const };
  app.get('/things', { config, schema: { querystring: QuerySchema } }, async (request) => request.query);
  app.post('/things', { config, schema: { body: BodySchema } }, async (request) => request.body);
  app.delete('/things/:id', { config }, async (request) => ({
    deleted: (request.params as { id: string }).id,
  }));
  app.get('/fault', { config }, async () => {
    throw new TypeError('the password is hunter2');
  });
  app.get('/status/:status', { config }, async (request) => {
    const statusCode = Number((request.params as { status: string }).status);
    throw Object.assign(new Error('the password is hunter2'), { statusCode });
  });
  app.get('/slow', { config }, async () => {
    await wait();
    return { slow: true };
  });
  app.post('/slow', { config, onRequest: wait }, async () => ({ slow: true }));
  app.query('/asked', { config }, async () => ({}));
}
