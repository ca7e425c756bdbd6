export { elsewhereHeader, NotHere } from './elsewhere.ts';
export { enterWhenRoom } from './enter-when-room.ts';
export type { Member } from './member.ts';
export { NoSignOfLife, NotBegun, NotSure, type Phase, phaseHeader } from './phase.ts';
export { systemLookup } from './system-lookup.ts';
export { Tries } from './tries.ts';
export { createUpstream, type Upstream, type UpstreamOptions } from './upstream.ts';
export type { Waiter } from './waiting-line.ts';
