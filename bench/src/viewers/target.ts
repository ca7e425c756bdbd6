import type { Subject } from '../servers.ts';

/** Latchkey in one of its profiles, with all its leases. */
export interface Target {
  /** Where viewers and management ask. */
  url: string;
  /** Those whose memory is read. */
  processes: Subject[];
  /** How many processes decide about keys, each with what it knows for itself. */
  replicas: number;
  boots: Boots;
}

/** How long the process took that decides about keys, from its start until `/ready` said yes; milliseconds. */
export interface Boots {
  what: string;
  withoutLeasesMs: number[];
  withLeasesMs: number[];
}

export interface TargetOptions {
  leases: number;
  contents: number;
  /** Replicas of key-derivation, in the distributed profile. */
  replicas: number;
  /** How often each boot is measured. */
  boots: number;
  say: (line: string) => void;
}
