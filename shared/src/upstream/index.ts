export type { Member } from './member.ts';
export {
  elsewhereHeader,
  NotStarted,
  type Phase,
  phaseHeader,
  TryElsewhere,
  Unresponsive,
  UnsureReplica,
} from './phase.ts';
export type { AnswerController, AnswerHandler } from './plain-client/plain-request.ts';
export { Tries, waitForRoom } from './tries.ts';
export { createUpstream, systemLookup, type Upstream, type UpstreamOptions } from './upstream.ts';
export type { Waiter } from './waiting-line.ts';
