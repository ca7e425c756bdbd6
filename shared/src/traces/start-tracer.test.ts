import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { diag } from '@opentelemetry/api';
import { loggingErrorHandler, setGlobalErrorHandler } from '@opentelemetry/core';
import { InMemorySpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createManualClock } from '../testing/manual-clock.ts';
import { serveHttp } from '../testing/serve-http.ts';
import { ListedSpans } from './listed-spans.ts';
import { startTracer } from './start-tracer.ts';

/** A collector, and a tracer that sends to it. */
async function open(answer: (response: ServerResponse, n: number) => void) {
  const bodies: string[] = [];
  const faults: string[] = [];
  const { url } = await serveHttp(async (request, response) => {
    bodies.push(`${request.headers.authorization} ${await text(request)}`);
    answer(response, bodies.length);
  });
  const tracer = startTracer(
    {
      endpoint: `${url}/`,
      headers: { authorization: 'Bearer collector-key' },
      ...{ sampler: 'always_on', ratio: 1, resource: { 'service.name': 'keys' }, version: '1' },
    },
    { clock: createManualClock(0), onFault: (error) => void faults.push(String(error)) },
  );
  onTestFinished(async () => {
    await tracer.close();
    diag.disable();
    setGlobalErrorHandler(loggingErrorHandler());
  });
  const serve = (count: number) => {
    for (let n = 0; n < count; n++) {
      const request = { headers: {} } as IncomingMessage;
      tracer.serve(request, false, () => {});
      tracer.served(request, { method: 'GET', route: '/ready', status: 200, code: null });
    }
  };
  return { tracer, serve, bodies, faults, sent: () => bodies.join().split('"GET /ready"').length - 1 };
}

it('the last spans are sent at the end of the process, with the headers of the collector', async () => {
  const { tracer, serve, bodies, faults } = await open((response) => response.end('{}'));
  serve(1);
  await tracer.close();
  expect(bodies).toEqual([expect.stringMatching(/^Bearer collector-key .*"keys".*"GET \/ready"/)]);
  expect(faults).toEqual([]);
});

it('while the collector is silent, 2,048 spans wait, and further ones are dropped and reported', async () => {
  let held: ServerResponse | undefined;
  const { tracer, serve, sent, faults } = await open((response, n) => {
    if (n === 1) held = response;
    else response.end('{}');
  });
  serve(10_000);
  await vi.waitFor(() => expect(held).toBeDefined(), { timeout: 20_000, interval: 5 });
  held?.end('{}');
  await vi.waitFor(() => expect(sent()).toBeGreaterThan(512), { timeout: 20_000, interval: 5 });
  serve(1);
  await tracer.close();
  // The batch that was being sent no longer waited.
  expect(sent()).toBe(512 + 2_048 + 1);
  expect(faults).toEqual(['Error: Dropped some spans because maxQueueSize reached']);
});

it('a refused batch is lost and reported once, without the credential, and a redirect gets neither spans nor credential', async () => {
  const other = await open((response) => response.end('{}'));
  const { tracer, serve, faults } = await open(
    (response) => void response.writeHead(307, { location: '/elsewhere' }).end('collector-key'),
  );
  serve(3);
  await tracer.close();
  expect(faults).toEqual(['Error: the collector answered 307; spans are lost']);
  expect(other.bodies).toEqual([]);
});

it('a batch that the collector may take later is sent again', async () => {
  const { tracer, serve, bodies, faults } = await open(
    (response, n) =>
      void response.writeHead(n === 1 ? 503 : 200, { 'retry-after': new Date(0).toUTCString() }).end('{}'),
  );
  serve(1);
  await tracer.close();
  expect([bodies.length, faults]).toEqual([2, []]);
});

it('of a span, only its name, status and listed attributes leave the process', async () => {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new ListedSpans({ exporter })] });
  const span = provider.getTracer('test').startSpan('GET', {
    attributes: { 'http.route': '/keys/:contentId', 'url.path': '/keys/ada' },
    links: [{ context: { traceId: 'ada', spanId: 'ada', traceFlags: 1 } }],
  });
  span.recordException(new Error('ada'));
  span.setStatus({ code: 2, message: 'ada' }).end();
  await provider.forceFlush();
  expect(exporter.getFinishedSpans()).toMatchObject([
    { attributes: { 'http.route': '/keys/:contentId' }, events: [], links: [], status: { code: 2 } },
  ]);
  expect(
    JSON.stringify(exporter.getFinishedSpans().map(({ attributes, status }) => [attributes, status])),
  ).not.toContain('ada');
});
