import type { IncomingMessage } from 'node:http';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { expect, it } from 'vitest';
import { createManualClock } from '../testing/manual-clock.ts';
import { createTracer } from './create-tracer.ts';
import { createSampler } from './start-tracer.ts';
import type { SamplerName } from './tracer.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parentId = '00f067aa0ba902b7';

function open(name: SamplerName = 'parentbased_always_on', ratio = 1) {
  const exporter = new InMemorySpanExporter();
  const clock = createManualClock(1_000_000);
  const provider = new TracerProvider({
    sampler: createSampler(name, ratio),
    spanProcessors: [new SimpleSpanProcessor({ exporter })],
  });
  const spans = provider.getTracer('test');
  return {
    tracer: createTracer({ clock, spans, close: () => provider.shutdown() }),
    spans: () => exporter.getFinishedSpans(),
    clock,
  };
}

const requestOf = (traceparent?: string) => ({ headers: { traceparent } }) as unknown as IncomingMessage;
const served = { method: 'GET', route: '/keys/:contentId', status: 200, code: null };

it.each<[SamplerName, ratio: number, own: boolean, parentOn: boolean, parentOff: boolean]>([
  ['always_on', 0, true, true, true],
  ['always_off', 1, false, false, false],
  ['traceidratio', 0, false, false, false],
  ['traceidratio', 1, true, true, true],
  ['parentbased_always_on', 0, true, true, false],
  ['parentbased_always_off', 1, false, true, false],
  ['parentbased_traceidratio', 0, false, true, false],
])(
  'the sampler %s with %d records as OpenTelemetry specifies, with and without a parent',
  (name, ratio, ...expected) => {
    const recorded = [undefined, '01', '00'].map((flags) => {
      const { tracer, spans } = open(name, ratio);
      const request = requestOf(flags && `00-${traceId}-${parentId}-${flags}`);
      tracer.serve(request, true, () => {});
      tracer.served(request, served);
      return spans().length === 1;
    });
    expect(recorded).toEqual(expected);
  },
);

it('a call belongs to the request that it works for, also after an await, and is passed on unrecorded where that is not recorded', async () => {
  const { tracer, spans } = open();
  const request = requestOf();
  const passed = await new Promise<string | undefined>((resolve) => {
    tracer.serve(request, false, async () => {
      await null;
      const call = tracer.call('client', 'call leases', {});
      call?.end('unanswered', { retries: 1 });
      call?.end();
      resolve(call?.traceparent);
    });
  });
  tracer.served(request, { ...served, status: 503, code: 'DEPENDENCY_UNAVAILABLE' });
  const [call, root] = spans();
  const own = call?.spanContext();
  expect(own?.traceId).toBe(root?.spanContext().traceId);
  expect(passed).toBe(`00-${own?.traceId}-${own?.spanId}-01`);
  expect(call).toMatchObject({
    kind: SpanKind.CLIENT,
    parentSpanContext: { spanId: root?.spanContext().spanId },
    status: { code: SpanStatusCode.ERROR },
    attributes: { retries: 1, 'error.type': 'unanswered' },
  });
  expect(root).toMatchObject({
    name: 'GET /keys/:contentId',
    kind: SpanKind.SERVER,
    status: { code: SpanStatusCode.ERROR },
  });
  expect(spans()).toHaveLength(2);

  const silent = open('always_off');
  silent.tracer.serve(request, false, () => {
    expect(silent.tracer.call('client', 'x', {})?.traceparent).toMatch(/-00$/);
  });
  expect(silent.spans()).toEqual([]);
});

it('work outside of a request, after its answer, or beyond 128 calls of one request is not recorded', () => {
  const { tracer, spans } = open();
  expect(tracer.call('client', 'job', {})).toBeNull();
  tracer.called('job', {}, 1);
  const request = requestOf();
  tracer.serve(request, false, () => {
    for (let n = 0; n < 200; n++) tracer.called('SELECT leases', {}, 1);
    tracer.served(request, served);
    tracer.called('SELECT leases', {}, 1);
    expect(tracer.call('client', 'late', {})).toBeNull();
  });
  expect(spans()).toHaveLength(129);
  expect(spans()[0]?.duration).toEqual([0, 1e6]);
});

it("a method of the caller's own choice is not shown, and a request without a route shows no path", () => {
  const { tracer, spans } = open();
  const request = requestOf();
  tracer.serve(request, false, () => {});
  tracer.served(request, { method: 'ADA-SECRET', route: null, status: 404, code: 'NOT_FOUND' });
  expect(spans()).toMatchObject([
    { name: '_OTHER', attributes: { 'http.request.method': '_OTHER', 'error.type': 'NOT_FOUND' } },
  ]);
});

it('a message continues the trace of its sender, and one without a trace begins none', () => {
  const { tracer, spans } = open();
  let handled = 0;
  for (const traceparent of [undefined, 'x', `00-${traceId}-${parentId}-01`, `00-${traceId}-${parentId}-00`])
    tracer.consume(traceparent, 'process latchkey.changes', () => void handled++);
  expect(handled).toBe(4);
  expect(spans()).toMatchObject([
    { parentSpanContext: { traceId, spanId: parentId }, kind: SpanKind.CONSUMER },
  ]);
});

it('work for a recorded request is named by its trace until the answer, or for a minute if it goes on', () => {
  const { tracer, clock } = open();
  const request = requestOf(`00-${traceId}-${parentId}-01`);
  expect(tracer.currentTraceId()).toBeNull();
  tracer.serve(request, true, () => {
    expect(tracer.currentTraceId()).toBe(traceId);
    clock.advance(59_999);
    expect(tracer.currentTraceId()).toBe(traceId);
    clock.advance(1);
    expect(tracer.currentTraceId()).toBeNull();
  });
  tracer.serve(request, true, () => {
    tracer.served(request, served);
    expect(tracer.currentTraceId()).toBeNull();
  });
  tracer.serve(requestOf(`00-${traceId}-${parentId}-00`), true, () =>
    expect(tracer.currentTraceId()).toBeNull(),
  );
});
