/** A span's place in a trace, as it goes from process to process (W3C Trace Context, level 1). */
export interface TraceContext {
  /** 32 lower-case hex digits. */
  readonly traceId: string;
  /** 16 lower-case hex digits. */
  readonly spanId: string;
  /** Whether the spans of the trace are recorded. */
  readonly isSampled: boolean;
}

/** Later versions may append members to those of version 00 (section 4.3), so they are read as such. `ff` is invalid. */
const form = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const noTrace = '0'.repeat(32);
const noSpan = '0'.repeat(16);
const sampledFlag = 1;

/** @returns null for anything that is not a `traceparent` header */
export function parseTraceparent(text: unknown): TraceContext | null {
  if (typeof text !== 'string' || text.length > 512) return null;
  const [, traceId, spanId, flags = '', more] = form.exec(text) ?? [];
  if (!traceId || !spanId || traceId === noTrace || spanId === noSpan) return null;
  if (more !== undefined && text.startsWith('00')) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & sampledFlag) === sampledFlag };
}

export function formatTraceparent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}
