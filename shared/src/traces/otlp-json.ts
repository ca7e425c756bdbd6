import type { SpanFacts, SpanKind } from './tracer.ts';

/** A span that has ended. */
export interface EndedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly name: string;
  readonly kind: SpanKind;
  /** Milliseconds since 1970, with fractions. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly facts: SpanFacts;
  readonly isFailed: boolean;
}

/** `Span.SpanKind` and `Status.StatusCode` of opentelemetry/proto/trace/v1/trace.proto. In OTLP/JSON enumerations are numbers. */
const kinds: Readonly<Record<SpanKind, number>> = { server: 2, client: 3, producer: 4, consumer: 5 };
const errorStatus = 2;

/**
 * The body of a request to `/v1/traces` (OTLP 1.x in JSON: ids in hex, 64-bit integers as text).
 *
 * @param resource what describes the process, such as `service.name`
 */
export function formatTraces(resource: SpanFacts, version: string, spans: readonly EndedSpan[]): string {
  const scope = { name: 'latchkey', version };
  const scopeSpans = [{ scope, spans: spans.map(formatSpan) }];
  return JSON.stringify({ resourceSpans: [{ resource: { attributes: formatFacts(resource) }, scopeSpans }] });
}

function formatSpan({ startedAt, durationMs, kind, facts, isFailed, ...span }: EndedSpan) {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentSpanId !== null && { parentSpanId: span.parentSpanId }),
    name: span.name,
    kind: kinds[kind],
    startTimeUnixNano: toNanoseconds(startedAt),
    endTimeUnixNano: toNanoseconds(startedAt + durationMs),
    attributes: formatFacts(facts),
    status: isFailed ? { code: errorStatus } : {},
  };
}

function formatFacts(facts: SpanFacts) {
  return Object.entries(facts).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? formatNumber(value) : { stringValue: value },
  }));
}

const formatNumber = (value: number) =>
  Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };

/** A number would lose them: they need 61 bits. */
function toNanoseconds(ms: number): string {
  const whole = Math.floor(ms);
  return String(BigInt(whole) * 1_000_000n + BigInt(Math.round((ms - whole) * 1e6)));
}
