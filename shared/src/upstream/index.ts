export { brokeBeforeAnswer, neverReached } from './never-reached.ts';
export { createUpstream, type Member, type Upstream, type UpstreamOptions } from './upstream.ts';
