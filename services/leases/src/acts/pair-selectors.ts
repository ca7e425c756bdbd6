import type { MarkState } from '@latchkey/shared/contracts';
import { anyId as any, rowList, toMarkState } from '@latchkey/shared/db';
import type { Database, Transaction } from '../own-tables.ts';

/** A viewer and a content. */
export interface Pair {
  viewerId: string;
  contentId: string;
}

/** The selectors that marks and revocations can have: the viewer, the pair and the content of each pair. */
export function selectorsOf(tx: Database | Transaction, pairs: readonly Pair[]) {
  const rows = pairs.flatMap(({ viewerId, contentId }) => [
    { asked_viewer: viewerId, asked_content: any },
    { asked_viewer: viewerId, asked_content: contentId },
    { asked_viewer: any, asked_content: contentId },
  ]);
  return rowList(tx, { asked_viewer: 'text', asked_content: 'text' }, rows).as('given');
}

const selectorsOfPair = 3;

/** The state of each pair, in their order. @param found as `toMarkState` takes them */
export function markStatesOf(
  pairs: readonly Pair[],
  found: readonly { place: number; at: number | null; kind: number }[],
): (MarkState | null)[] {
  const rows = Map.groupBy(found, ({ place }) => Math.floor(place / selectorsOfPair));
  return pairs.map((_, n) => toMarkState(rows.get(n) ?? []));
}

/** The latest time of each pair, in their order. */
export function latestOf(
  pairs: readonly Pair[],
  found: readonly { place: number; at: number | null }[],
): (number | null)[] {
  const latest = pairs.map((): number | null => null);
  for (const { place, at } of found) {
    if (at === null) continue;
    const pair = Math.floor(place / selectorsOfPair);
    latest[pair] = Math.max(at, latest[pair] ?? 0);
  }
  return latest;
}

export function byPair<V>(pairs: readonly Pair[], values: readonly (V | null)[]): Map<string, V> {
  const known = new Map<string, V>();
  for (const [n, pair] of pairs.entries()) {
    const value = values[n] ?? null;
    if (value !== null) known.set(pairKey(pair), value);
  }
  return known;
}

// Content ids have no spaces.
export const pairKey = ({ viewerId, contentId }: Pair) => `${contentId} ${viewerId}`;
