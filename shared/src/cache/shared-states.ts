import type { Stamp } from './recent-changes.ts';

/** What is shared: a lease by its id, a mark by `markKey`. */
export type SharedKind = 'lease' | 'mark';

/** A state as somebody wrote it: anything until it is parsed, and true at its stamp at the earliest. */
export interface SharedEntry {
  value: unknown;
  stamp: Stamp;
}

/**
 * States that the replicas share, so that one that has just started need not ask the owner for each. A cache and never
 * the truth: an entry may be old, overwritten by an older one, lost, or back from a snapshot. Its stamp says what it is worth.
 */
export interface SharedStates {
  /** Never rejects, and is quick where nothing answers: null then, as where there is no entry. */
  get(kind: SharedKind, key: string): Promise<SharedEntry | null>;
  /** Never throws and never waits. */
  set(kind: SharedKind, key: string, value: unknown, stamp: Stamp, ttlMs: number): void;
  /** For the readiness report. */
  state(): 'up' | 'down';
}

/** @returns null for anything that is not an entry of ours */
export function parseSharedEntry(text: string): SharedEntry | null {
  let entry: unknown;
  try {
    entry = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof entry !== 'object' || entry === null) return null;
  const { value, number, at, history } = entry as Record<string, unknown>;
  if (value === undefined || !isCount(number) || !isCount(at)) return null;
  return { value, stamp: { number, at, ...(typeof history === 'string' && { history }) } };
}

export function formatSharedEntry({ value, stamp }: SharedEntry): string {
  return JSON.stringify({ value, ...stamp });
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
