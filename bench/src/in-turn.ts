/** There and back again: a machine that slows down in the course of it slows the first and the last alike. */
export function inTurn<T>(items: readonly T[], round: number): T[] {
  return round % 2 === 0 ? [...items] : [...items].reverse();
}
