import { Type } from 'typebox';
import { createRecordReader } from '../contracts/index.ts';
import { type FeedStamp, FeedStampSchema } from './recent-changes.ts';

/** The shared states: a lease by its id, a mark by `markKey`. */
export type StateKind = 'lease' | 'mark';

/** A stored state: unverified until it is parsed, and true at its stamp at the earliest. */
export interface StoredState {
  value: unknown;
  stamp: FeedStamp;
}

/**
 * States that the replicas share, so that a replica that has just started need not ask the owner for each. It is a cache:
 * an entry may be old, overwritten by an older one, lost, or restored from a snapshot. Its stamp shows whether it still
 * holds.
 */
export interface StateStore {
  /** Never rejects, and is quick where the store does not answer: it returns null then, as for a missing entry. */
  get(kind: StateKind, key: string): Promise<StoredState | null>;
  /** Never throws and never waits. */
  set(kind: StateKind, key: string, value: unknown, stamp: FeedStamp, ttlMs: number): void;
  /** For the readiness report. */
  state(): 'up' | 'down';
}

/** The value, and the members of its stamp beside it. */
const readEntry = createRecordReader(Type.Object({ value: Type.Unknown(), ...FeedStampSchema.properties }));

/** @returns null for anything that is not one of our entries */
export function parseStoredState(text: string): StoredState | null {
  try {
    const entry = readEntry(JSON.parse(text));
    if (!entry) return null;
    const { value, ...stamp } = entry;
    return { value, stamp };
  } catch {
    return null;
  }
}

export function formatStoredState({ value, stamp }: StoredState): string {
  return JSON.stringify({ value, ...stamp });
}
