/** Reverses every other round, so that a machine that slows down over time slows the first and the last alike. */
export function inTurn<T>(items: readonly T[], round: number): T[] {
  return round % 2 === 0 ? [...items] : [...items].reverse();
}
