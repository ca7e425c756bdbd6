import type { Database } from '../../db/index.ts';
import type { ChainName } from './entry-hash.ts';

/** A place of a chain and its hash. Kept where nobody who writes to the database reaches it, it proves later what stood up to there. */
export interface Anchor {
  chain: ChainName;
  place: number;
  hash: string;
}

/** What was found of one chain. Its place and hash are an anchor for later. */
export interface VerifiedChain extends Anchor {
  /** Places that were checked. */
  checked: number;
  /** How many of them were hashed without the secret: before it was set, or by somebody who wrote the chain anew. */
  unkeyed: number;
  /** The last place that the retention removed; 0 without one. */
  cutPlace: number;
  /** When that was, and from when the newest removed row was: milliseconds since 1970. */
  cutAt: number | null;
  cutNewest: number | null;
}

export interface VerifyOptions {
  db: Database;
  /** `AUDIT_CHAIN_SECRET`; null where it is not set. */
  secret: Buffer | null;
  anchors: readonly Anchor[];
  /** Called for each thing that is wrong, with a sentence. */
  onFinding: (finding: string) => void;
}

/** The end of a chain and its cut, as stored. */
export interface ChainHead {
  place: number;
  hash: string;
  cutPlace: number;
  cutHash: string;
  cutAt: number | null;
  cutNewest: number | null;
}
