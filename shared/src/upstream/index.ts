export { elsewhereHeader, TryElsewhere } from './elsewhere.ts';
export type { Member } from './member.ts';
export { NotStarted, type Phase, phaseHeader, Unresponsive, UnsureReplica } from './phase.ts';
export { systemLookup } from './system-lookup.ts';
export { Tries } from './tries.ts';
export { createUpstream, type Upstream, type UpstreamOptions } from './upstream.ts';
export { waitForRoom } from './wait-for-room.ts';
export type { Waiter } from './waiting-line.ts';
