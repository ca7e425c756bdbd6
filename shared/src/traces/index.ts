export { type CallSpan, samplerNames, type Tracer } from './tracer.ts';
