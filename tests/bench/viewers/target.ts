import type { Subject } from '../servers.ts';

/** Latchkey in one of its profiles, with all its leases. */
export interface Target {
  /** For viewers and admins. */
  url: string;
  /** The processes whose memory is read. */
  processes: Subject[];
  /** The flags of Node of a process that viewers connect to. */
  flags: readonly string[];
  /** How many processes decide about keys, each with a cache of its own. */
  replicas: number;
  boots: Boots;
}

/** How long a process that decides about keys took from its start until `/ready` answered 200, in milliseconds. */
export interface Boots {
  what: string;
  withoutLeasesMs: number[];
  withLeasesMs: number[];
}

export interface TargetOptions {
  leases: number;
  contents: number;
  apiKeys: number;
  /** Replicas of key-derivation, in the distributed profile. */
  replicas: number;
  /** How often each boot is measured. */
  boots: number;
  say: (line: string) => void;
}
