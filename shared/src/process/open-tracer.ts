import type { traceVariables, Values } from '../config/index.ts';
import type { ProcessIdentity } from '../log/index.ts';
import type { Tracer } from '../traces/index.ts';
import type { ProcessBase } from './process-context.ts';

export type TraceSettings = Partial<Values<typeof traceVariables>>;

/** Half a second more than the tracer takes at most. */
const lastSpansMs = 2_500;

/** @returns null where `OTEL_EXPORTER_OTLP_ENDPOINT` is not set: nothing is loaded then */
export async function openTracer(
  { service, version, instance }: ProcessIdentity,
  values: TraceSettings,
  { clock, log, shutdown, warn }: Pick<ProcessBase, 'clock' | 'log' | 'shutdown' | 'warn'>,
): Promise<Tracer | null> {
  if (!values.otelExporterOtlpEndpoint) return null;
  const { startTracer } = await import('../traces/start-tracer.ts');
  const settings = {
    endpoint: values.otelExporterOtlpEndpoint,
    headers: values.otelExporterOtlpHeaders?.reveal() ?? {},
    sampler: values.otelTracesSampler ?? 'parentbased_always_on',
    ratio: values.otelTracesSamplerArg ?? 1,
    resource: {
      ...values.otelResourceAttributes,
      'service.name': values.otelServiceName ?? `latchkey-${service.replaceAll(' ', '-')}`,
      'service.version': version,
      'service.instance.id': instance,
    },
    version,
  } as const;
  const onFault = (error: unknown) =>
    warn('traces cannot be sent: requests go on. Check OTEL_EXPORTER_OTLP_ENDPOINT and the collector', error);
  const tracer = startTracer(settings, { clock, onFault });
  log.nameTraces?.(() => tracer.currentTraceId());
  shutdown.add('the last traces', lastSpansMs, () => tracer.close());
  return tracer;
}
