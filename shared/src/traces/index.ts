export { type CallSpan, type SamplerName, samplerNames, type Tracer } from './tracer.ts';
