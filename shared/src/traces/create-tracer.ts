import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type Tracer as SpanSource,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import type { Clock } from '../clock/clock.ts';
import type { ServedRequest, Tracer } from './tracer.ts';

interface TracerOptions {
  clock: Clock;
  spans: SpanSource;
  close: () => Promise<void>;
}

/** The methods of HTTP. Others are of the caller's choice, so a span calls them `_OTHER` (semantic conventions for HTTP). */
const methods = new Set('GET HEAD POST PUT DELETE CONNECT OPTIONS TRACE PATCH QUERY'.split(' '));

/** The work of one request or message, and whether it is over. */
interface Work {
  readonly span: Span;
  readonly isSampled: boolean;
  /** The parent of its calls. */
  readonly context: Context;
  readonly startedAtMs: number;
  isOver: boolean;
  calls: number;
}

/**
 * Calls of one request that are recorded. Most make fewer than ten. Without a bound, one that revokes a million leases would fill the queue.
 */
const callsAtMost = 128;

/**
 * A connection carries the asynchronous context of the request that opened it. Where that request is an event stream, it lasts for hours,
 * and whatever happened to the connection would be said to belong to it. Other requests have their answer before this.
 */
const namedForMs = 60_000;

/** Spans of this process. Work finds its span by the asynchronous context, or by the request. */
export function createTracer(options: TracerOptions): Tracer {
  const { clock, spans, close } = options;
  const current = new AsyncLocalStorage<Work>();
  const requests = new WeakMap<IncomingMessage, Work>();

  /**
   * The work that a call belongs to; null if it belongs to no recorded work. What several requests share, such as a transaction, goes on in
   * the context of the first one: after that one has its answer, it belongs to none.
   */
  function workOf(request?: IncomingMessage): Work | null {
    const work = (request && requests.get(request)) ?? current.getStore();
    return work && !work.isOver && work.calls < callsAtMost ? work : null;
  }

  return {
    serve(request, isTrusted, run) {
      const work = begin(options, isTrusted ? request.headers.traceparent : null, SpanKind.SERVER, 'request');
      requests.set(request, work);
      current.run(work, run);
    },
    served(request, answer) {
      const work = requests.get(request);
      if (!work || work.isOver) return;
      work.isOver = true;
      endRequest(work.span, answer);
    },
    traceIdOf(request) {
      const work = requests.get(request);
      return work?.isSampled ? work.span.spanContext().traceId : null;
    },
    currentTraceId() {
      const work = current.getStore();
      if (!work?.isSampled || work.isOver || clock.monotonic() - work.startedAtMs >= namedForMs) return null;
      return work.span.spanContext().traceId;
    },
    call(kind, name, facts, request) {
      const work = workOf(request);
      if (!work) return null;
      // The flag of the parent turns recording off.
      if (!work.isSampled) return { traceparent: formatTraceparent(work.span), end() {} };
      work.calls++;
      const span = spans.startSpan(name, { kind: kinds[kind], attributes: facts }, work.context);
      return {
        traceparent: formatTraceparent(span),
        end(failure, more = {}) {
          if (!span.isRecording()) return;
          span.setAttributes(more);
          endCall(span, failure);
        },
      };
    },
    called(name, facts, durationMs, failure) {
      const work = workOf();
      if (!work?.isSampled) return;
      work.calls++;
      const endedAt = Date.now();
      const startTime = endedAt - durationMs;
      const span = spans.startSpan(
        name,
        { kind: SpanKind.CLIENT, attributes: facts, startTime },
        work.context,
      );
      endCall(span, failure, endedAt);
    },
    consume(traceparent, name, run) {
      // A message outside of any request, such as a message of a job, is not worth a trace of its own.
      if (typeof traceparent !== 'string' || !parseTraceParent(traceparent)) {
        run();
        return;
      }
      const work = begin(options, traceparent, SpanKind.CONSUMER, name);
      try {
        current.run(work, run);
      } finally {
        work.isOver = true;
        work.span.end();
      }
    },
    close,
  };
}

function begin({ spans, clock }: TracerOptions, traceparent: unknown, kind: SpanKind, name: string): Work {
  const parent = typeof traceparent === 'string' ? parseTraceParent(traceparent) : null;
  const context = parent ? trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true }) : ROOT_CONTEXT;
  const span = spans.startSpan(name, { kind }, context);
  return {
    span,
    isSampled: span.isRecording(),
    context: trace.setSpan(ROOT_CONTEXT, span),
    startedAtMs: clock.monotonic(),
    isOver: false,
    calls: 0,
  };
}

function endRequest(span: Span, { method: given, route, status, code }: ServedRequest): void {
  if (!span.isRecording()) return;
  const method = methods.has(given) ? given : '_OTHER';
  span.updateName(route === null ? method : `${method} ${route}`);
  span.setAttributes({
    'http.request.method': method,
    ...(route !== null && { 'http.route': route }),
    'http.response.status_code': status,
    ...(code !== null && { 'error.type': code }),
  });
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

const kinds = { client: SpanKind.CLIENT, producer: SpanKind.PRODUCER };

function endCall(span: Span, failure: string | undefined, endedAt?: number): void {
  if (failure !== undefined) {
    span.setAttribute('error.type', failure);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end(endedAt);
}

/** Of W3C Trace Context, version 00. */
function formatTraceparent(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-0${traceFlags & 1}`;
}
