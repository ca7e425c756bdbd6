import type { Outcomes } from '../event/event-order.ts';

export interface ReloadOrder {
  url: string;
  /** The paths that each session reloads. */
  sessions: string[][];
  everySeconds: number;
  seconds: number;
}

export interface ReloadResult {
  playlists: Outcomes;
  seconds: number;
  /** The load generator's own CPU time, as a share of one core. */
  ownCpuShare: number;
}
