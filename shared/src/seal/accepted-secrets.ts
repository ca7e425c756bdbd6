/** A value that shows itself only to code that asks for it: a `Secret` of the configuration. */
export interface Revealable<T> {
  reveal(): T;
}

/** The secrets that are accepted: the one in use, which also signs, and then the secrets of `…_PREVIOUS`. */
export type AcceptedSecrets<T = string> = readonly [T, ...T[]];

export const acceptedSecrets = <T>(
  current: Revealable<T>,
  previous?: Revealable<readonly T[]>,
): AcceptedSecrets<T> => [current.reveal(), ...(previous?.reveal() ?? [])];

/** The first result of `find`, such as with the first of several keys that fits; null if `find` returns null for all items. */
export function firstOf<T, R>(items: readonly T[], find: (item: T) => R | null): R | null {
  for (const item of items) {
    const found = find(item);
    if (found !== null) return found;
  }
  return null;
}
