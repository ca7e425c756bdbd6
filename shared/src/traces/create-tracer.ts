import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../clock/clock.ts';
import type { EndedSpan } from './otlp-json.ts';
import type { Sampler } from './sampler.ts';
import { formatTraceparent, parseTraceparent, type TraceContext } from './trace-context.ts';
import type { CallSpan, SpanFacts, Tracer } from './tracer.ts';

type Served = Parameters<Tracer['served']>[1];

interface TracerOptions {
  clock: Clock;
  sampler: Sampler;
  /** A cryptographic source. */
  randomBytes: (count: number) => Buffer;
  queue: { add(span: EndedSpan): void; close(): Promise<void> };
}

/** Random bytes that are taken at once: the ids of some 170 requests. */
const supplyBytes = 4_096;

/** The methods of HTTP. Others are of the caller's choice, so a span calls them `_OTHER` (semantic conventions for HTTP). */
const methods = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'CONNECT',
  'OPTIONS',
  'TRACE',
  'PATCH',
  'QUERY',
]);

/** The span that work belongs to. */
interface OpenSpan extends TraceContext {
  readonly parentSpanId: string | null;
  readonly startedAt: number;
  readonly startedAtMs: number;
}

/** What a request or a message does, as long as it does it. */
interface Work {
  readonly span: OpenSpan;
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
  return new RecordingTracer(options);
}

class RecordingTracer implements Tracer {
  readonly #options: TracerOptions;
  readonly #current = new AsyncLocalStorage<Work>();
  readonly #requests = new WeakMap<IncomingMessage, Work>();
  readonly #readTime: () => number;
  #randomDigits = '';
  #usedDigits = 0;

  constructor(options: TracerOptions) {
    this.#options = options;
    this.#readTime = createFineTime(options.clock);
  }

  serve(request: IncomingMessage, isTrusted: boolean, run: () => void): void {
    const span = this.#open(isTrusted ? parseTraceparent(request.headers.traceparent) : null);
    const work = { span, isOver: false, calls: 0 };
    this.#requests.set(request, work);
    this.#current.run(work, run);
  }

  served(request: IncomingMessage, { method: given, route, status, code }: Served): void {
    const work = this.#requests.get(request);
    if (!work || work.isOver) return;
    work.isOver = true;
    const method = methods.has(given) ? given : '_OTHER';
    const facts = {
      'http.request.method': method,
      ...(route !== null && { 'http.route': route }),
      'http.response.status_code': status,
      ...(code !== null && { 'error.type': code }),
    };
    const name = route === null ? method : `${method} ${route}`;
    this.#end(work.span, { kind: 'server', name, facts, isFailed: status >= 500 });
  }

  traceIdOf(request: IncomingMessage): string | null {
    const span = this.#requests.get(request)?.span;
    return span?.isSampled ? span.traceId : null;
  }

  currentTraceId(): string | null {
    const work = this.#current.getStore();
    if (!work?.span.isSampled || work.isOver) return null;
    return this.#options.clock.monotonic() - work.span.startedAtMs < namedForMs ? work.span.traceId : null;
  }

  call(
    kind: 'client' | 'producer',
    name: string,
    facts: SpanFacts,
    request?: IncomingMessage,
  ): CallSpan | null {
    const work = this.#workOf(request);
    if (!work) return null;
    if (!work.span.isSampled) return notRecorded(work.span);
    work.calls++;
    const span = this.#open(work.span, true);
    let isOpen = true;
    return {
      traceparent: formatTraceparent(span),
      end: (failure, more) => {
        if (!isOpen) return;
        isOpen = false;
        const all = { ...facts, ...more, ...(failure !== undefined && { 'error.type': failure }) };
        this.#end(span, { kind, name, facts: all, isFailed: failure !== undefined });
      },
    };
  }

  called(name: string, facts: SpanFacts, durationMs: number, failure?: string): void {
    const work = this.#workOf();
    if (!work?.span.isSampled) return;
    work.calls++;
    const span = this.#open(work.span, true);
    const began = { startedAt: span.startedAt - durationMs, startedAtMs: span.startedAtMs - durationMs };
    const all = failure === undefined ? facts : { ...facts, 'error.type': failure };
    this.#end({ ...span, ...began }, { kind: 'client', name, facts: all, isFailed: failure !== undefined });
  }

  consume(traceparent: unknown, name: string, run: () => void): void {
    const parent = parseTraceparent(traceparent);
    // A message outside of any request, such as that of a job, is not worth a trace of its own.
    if (!parent) {
      run();
      return;
    }
    const work = { span: this.#open(parent), isOver: false, calls: 0 };
    try {
      this.#current.run(work, run);
    } finally {
      work.isOver = true;
      this.#end(work.span, { kind: 'consumer', name, facts: {}, isFailed: false });
    }
  }

  close(): Promise<void> {
    return this.#options.queue.close();
  }

  /**
   * The work that a call belongs to; null if it belongs to no recorded work. What several requests share, such as a transaction, goes on in the context of
   * the first one: after that one has its answer, it belongs to none.
   */
  #workOf(request?: IncomingMessage): Work | null {
    const work = (request && this.#requests.get(request)) ?? this.#current.getStore();
    return work && !work.isOver && work.calls < callsAtMost ? work : null;
  }

  /** A span of the parent's trace; without a parent, of a new one. */
  #open(parent: TraceContext | null, isSampled?: boolean): OpenSpan {
    const { sampler, clock } = this.#options;
    const traceId = parent?.traceId ?? this.#newId(32);
    const records = isSampled ?? sampler(traceId, parent);
    return {
      traceId,
      spanId: this.#newId(16),
      parentSpanId: parent?.spanId ?? null,
      isSampled: records,
      // Most requests are not recorded where there are many, and reading the clocks would be most of their cost.
      startedAt: records ? this.#readTime() : 0,
      startedAtMs: records ? clock.monotonic() : 0,
    };
  }

  /** From a supply: a call of the random source costs a microsecond, for one byte or for a thousand. */
  #newId(digits: number): string {
    if (this.#usedDigits + digits > this.#randomDigits.length) {
      this.#randomDigits = this.#options.randomBytes(supplyBytes).toString('hex');
      this.#usedDigits = 0;
    }
    const begin = this.#usedDigits;
    this.#usedDigits += digits;
    return this.#randomDigits.slice(begin, this.#usedDigits);
  }

  #end(span: OpenSpan, ending: Pick<EndedSpan, 'kind' | 'name' | 'facts' | 'isFailed'>): void {
    if (!span.isSampled) return;
    const { traceId, spanId, parentSpanId, startedAt } = span;
    const durationMs = this.#options.clock.monotonic() - span.startedAtMs;
    this.#options.queue.add({ traceId, spanId, parentSpanId, startedAt, durationMs, ...ending });
  }
}

/** The parent's own context goes on: its flag says that nothing is recorded. */
function notRecorded(parent: TraceContext): CallSpan {
  return { traceparent: formatTraceparent(parent), end() {} };
}

/** A step of the wall clock against the other one from which times are anchored again. */
const driftMs = 5;

/** Milliseconds since 1970 with fractions: the wall clock has whole ones, and most spans are shorter. */
function createFineTime(clock: Clock): () => number {
  let offsetMs = clock.now() - clock.monotonic();
  return () => {
    const differenceMs = clock.now() - clock.monotonic() - offsetMs;
    if (Math.abs(differenceMs) > driftMs) offsetMs += differenceMs;
    return clock.monotonic() + offsetMs;
  };
}
