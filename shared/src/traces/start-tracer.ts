import { randomBytes } from 'node:crypto';
import type { Clock } from '../clock/clock.ts';
import { createTracer } from './create-tracer.ts';
import { formatTraces } from './otlp-json.ts';
import { createSampler, type SamplerName } from './sampler.ts';
import { createSpanQueue } from './span-queue.ts';
import type { SpanFacts, Tracer } from './tracer.ts';

interface TracerSettings {
  /** `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  endpoint: string;
  headers: Readonly<Record<string, string>>;
  sampler: SamplerName;
  ratio: number;
  /** What describes the process, such as `service.name`. */
  resource: SpanFacts;
  version: string;
}

/** Loaded only where traces are on. */
export function startTracer(
  { endpoint, headers, sampler, ratio, resource, version }: TracerSettings,
  { clock, onFault }: { clock: Clock; onFault: (error: unknown) => void },
): Tracer {
  const queue = createSpanQueue({
    url: `${endpoint.replace(/(?<!\/)\/+$/, '')}/v1/traces`,
    headers,
    format: (spans) => formatTraces(resource, version, spans),
    onFault,
  });
  return createTracer({ clock, sampler: createSampler(sampler, ratio), randomBytes, queue });
}
