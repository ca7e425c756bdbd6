import type { TraceContext } from './trace-context.ts';

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

/** Whether a trace is recorded. @param parent of another process; null at the root of a trace */
export type Sampler = (traceId: string, parent: TraceContext | null) => boolean;

/** The digits at the end of a trace id that are random in every version of W3C Trace Context: 52 bits, which a number holds exactly. */
const randomDigits = 13;
const possible = 16 ** randomDigits;

/** @param ratio `OTEL_TRACES_SAMPLER_ARG`, from 0 to 1: the part of all traces, for the samplers by ratio */
export function createSampler(name: SamplerName, ratio: number): Sampler {
  const isBasedOnParent = name.startsWith('parentbased_');
  const root = isBasedOnParent ? name.slice('parentbased_'.length) : name;
  // By the id alone, so that every process decides alike about a trace.
  const samples = (traceId: string) =>
    root === 'traceidratio'
      ? Number.parseInt(traceId.slice(-randomDigits), 16) < ratio * possible
      : root === 'always_on';
  return (traceId, parent) => (isBasedOnParent && parent ? parent.isSampled : samples(traceId));
}
