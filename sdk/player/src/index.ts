export type { KeyWait, PlayerEvents, RemoteChange } from './emitter.ts';
export type { Lease } from './lease.ts';
export type { PlayerMetrics } from './metrics.ts';
export type { Player } from './player.ts';
export { attach, createPlayer } from './player.ts';
export { PlayerError, type PlayerErrorCode } from './player-error.ts';
export type {
  AttachOptions,
  AuthReason,
  KeyServerAuth,
  KeyServerOptions,
  LeaseOptions,
  PlayerOptions,
} from './player-options.ts';
export type { RemoteSource } from './remote-session.ts';
export {
  type ShakaOptions,
  type ShakaRequest,
  type ShakaRequestFilter,
  shakaRequestFilter,
} from './shaka.ts';
