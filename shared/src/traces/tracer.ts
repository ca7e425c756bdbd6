import type { IncomingMessage } from 'node:http';

/**
 * The attributes of a span. Only names that the code chose, such as route patterns, tables and statuses: never a path, an id, a credential
 * or an address of a client.
 */
export type SpanFacts = Readonly<Record<string, string | number>>;

/** The names of the OpenTelemetry specification (`OTEL_TRACES_SAMPLER`). */
export const samplerNames = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

export type SamplerName = (typeof samplerNames)[number];

/** A call of something else, within a request. */
export interface CallSpan {
  /** For the header of the same name, also where nothing is recorded. */
  readonly traceparent: string;
  /** The first call counts. @param failure a few fixed words, such as an error code; left out if the call succeeded */
  end(failure?: string, facts?: SpanFacts): void;
}

/** A request that has ended. */
export interface ServedRequest {
  readonly method: string;
  /** The pattern; null where none matched. */
  readonly route: string | null;
  readonly status: number;
  readonly code: string | null;
}

/** Records spans. Null in its place: tracing is off, and nothing is loaded for it. */
export interface Tracer {
  /**
   * Runs the handler of a request within a new span.
   *
   * @param isTrusted whether the request's own `traceparent` is taken; otherwise it begins a trace of its own
   */
  serve(request: IncomingMessage, isTrusted: boolean, run: () => void): void;
  served(request: IncomingMessage, served: ServedRequest): void;
  /** The trace of a request; null if it is not recorded, so that an id in a log line can always be looked up. */
  traceIdOf(request: IncomingMessage): string | null;
  /** As `traceIdOf`, of the request or message that the caller works for; null once it has its answer. */
  currentTraceId(): string | null;
  /**
   * Begins a call within a request.
   *
   * @param request left out: the one that the caller works for, by the asynchronous context
   * @returns null outside of any request
   */
  call(
    kind: 'client' | 'producer',
    name: string,
    facts: SpanFacts,
    request?: IncomingMessage,
  ): CallSpan | null;
  /** A call that has ended just now. */
  called(name: string, facts: SpanFacts, durationMs: number, failure?: string): void;
  /** Runs the handler of a message. @param traceparent of its sender, which must be trusted */
  consume(traceparent: unknown, name: string, run: () => void): void;
  /** Sends what is recorded, as far as time allows. */
  close(): Promise<void>;
}
