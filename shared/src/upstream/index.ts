export type { Address } from './address.ts';
export { AnswersAnother, NotStarted, TryElsewhere, Unresponsive, UnsureReplica } from './failures.ts';
export { elsewhereHeader, type Phase, phaseHeader } from './phase.ts';
export { Tries } from './tries.ts';
export { createUpstream, systemLookup, type Upstream, type UpstreamOptions } from './upstream.ts';
export { waitForRoom } from './wait-for-room.ts';
export type { Waiter } from './waiting-line.ts';
