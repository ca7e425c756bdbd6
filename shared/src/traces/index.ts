export { type SamplerName, samplerNames } from './sampler.ts';
export type { CallSpan, Tracer } from './tracer.ts';
