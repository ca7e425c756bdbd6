import { DiagLogLevel, diag } from '@opentelemetry/api';
import { setGlobalErrorHandler } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Clock } from '../clock/clock.ts';
import { withTimeLimit } from '../lifecycle/index.ts';
import { createTracer } from './create-tracer.ts';
import { ListedSpans } from './listed-spans.ts';
import type { SamplerName, SpanFacts, Tracer } from './tracer.ts';

/** The last spans are sent within this time, or lost: the process must end. The exporter alone would try for 10 s. */
const lastSpansMs = 2_000;

interface TracerSettings {
  /** `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  endpoint: string;
  headers: Readonly<Record<string, string>>;
  sampler: SamplerName;
  /** `OTEL_TRACES_SAMPLER_ARG`, from 0 to 1: the part of all traces, for the samplers by ratio. */
  ratio: number;
  /** Facts that describe the process, such as `service.name`. */
  resource: SpanFacts;
  version: string;
}

/**
 * Loaded only if traces are on.
 *
 * @param onFault called for spans that are lost. The error names no header and no span
 */
export function startTracer(
  { endpoint, headers, sampler, ratio, resource, version }: TracerSettings,
  { clock, onFault }: { clock: Clock; onFault: (error: unknown) => void },
): Tracer {
  const report = (error: unknown) => onFault(new Error(`${reasonOf(error)}; spans are lost`));
  // The library has both for the whole process only, and tells of lost spans in no other way.
  setGlobalErrorHandler(report);
  // Without the number of spans, so that the same line is logged once a minute.
  const warn = (message: string) => onFault(new Error(message.replace(/\d+/, 'some')));
  const ignore = () => {};
  const logger = { warn, error: ignore, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });

  const url = `${endpoint.replace(/(?<!\/)\/+$/, '')}/v1/traces`;
  const provider = new TracerProvider({
    resource: resourceFromAttributes(resource),
    sampler: createSampler(sampler, ratio),
    spanProcessors: [new ListedSpans({ exporter: new OTLPTraceExporter({ url, headers: { ...headers } }) })],
  });
  const spans = provider.getTracer('latchkey', version);
  return createTracer({
    clock,
    spans,
    close: () => withTimeLimit(lastSpansMs, provider.shutdown()).catch(report),
  });
}

export function createSampler(name: SamplerName, ratio: number): Sampler {
  const isBasedOnParent = name.startsWith('parentbased_');
  const root = samplers[name.replace('parentbased_', '')]?.(ratio) ?? new AlwaysOnSampler();
  return isBasedOnParent ? new ParentBasedSampler({ root }) : root;
}

const samplers: Record<string, (ratio: number) => Sampler> = {
  always_off: () => new AlwaysOffSampler(),
  traceidratio: (ratio) => new TraceIdRatioBasedSampler(ratio),
};

/** The status of the collector, or the code of the network's error. */
function reasonOf(error: unknown): string {
  const { code, message } = error as Error & { code?: unknown };
  if (typeof code === 'number') return `the collector answered ${code}`;
  return typeof code === 'string' ? code : message;
}
