export { brokeBeforeAnswer, neverReached } from './never-reached.ts';
export { NotBegun, type Phase, phaseHeader } from './phase.ts';
export { systemLookup } from './system-lookup.ts';
export { createUpstream, type Member, type Upstream, type UpstreamOptions } from './upstream.ts';
