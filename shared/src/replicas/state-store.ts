import { Type } from 'typebox';
import { createRecordReader } from '../contracts/index.ts';
import { type FeedStamp, FeedStampSchema } from './recent-changes.ts';

/** What is shared: a lease by its id, a mark by `markKey`. */
export type StateKind = 'lease' | 'mark';

/** A state as somebody wrote it: anything until it is parsed, and true at its stamp at the earliest. */
export interface StoredState {
  value: unknown;
  stamp: FeedStamp;
}

/**
 * States that the replicas share, so that one that has just started need not ask the owner for each. A cache and never
 * the truth: an entry may be old, overwritten by an older one, lost, or back from a snapshot. Its stamp says what it is worth.
 */
export interface StateStore {
  /** Never rejects, and is quick where nothing answers: null then, as where there is no entry. */
  get(kind: StateKind, key: string): Promise<StoredState | null>;
  /** Never throws and never waits. */
  set(kind: StateKind, key: string, value: unknown, stamp: FeedStamp, ttlMs: number): void;
  /** For the readiness report. */
  state(): 'up' | 'down';
}

/** The value and, beside it, the members of its stamp. */
const readEntry = createRecordReader(Type.Object({ value: Type.Unknown(), ...FeedStampSchema.properties }));

/** @returns null for anything that is not an entry of ours */
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
