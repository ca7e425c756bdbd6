/** A value that may be renewed while the process runs. Read it at each use: what is made of it would stay what it was. */
export interface Renewable<T> {
  reveal(): T;
}

/**
 * What is made of a renewable value, such as a key: made once, and again after the value was renewed.
 *
 * @param read the same value, by `===`, until it is renewed
 */
export function madeOf<T, M>(read: () => T, make: (value: T) => M): () => M {
  let value = read();
  let made = make(value);
  return () => {
    const present = read();
    if (present !== value) {
      value = present;
      made = make(present);
    }
    return made;
  };
}

/** The secrets that are accepted: the one in use, which also signs, and then those of `…_PREVIOUS`. The same array until one is renewed. */
export type AcceptedSecrets<T = string> = () => readonly [T, ...T[]];

export function acceptedSecrets<T>(
  current: Renewable<T>,
  previous?: Renewable<readonly T[]>,
): AcceptedSecrets<T> {
  const others = () => previous?.reveal() ?? none;
  let known: { current: T; others: readonly T[]; all: readonly [T, ...T[]] } | null = null;
  return () => {
    if (!known || known.current !== current.reveal() || known.others !== others())
      known = { current: current.reveal(), others: others(), all: [current.reveal(), ...others()] };
    return known.all;
  };
}

const none: readonly never[] = [];

/** What `find` finds first, such as with the first of several keys that fits; null where it finds nothing with any of them. */
export function firstOf<T, R>(items: readonly T[], find: (item: T) => R | null): R | null {
  for (const item of items) {
    const found = find(item);
    if (found !== null) return found;
  }
  return null;
}
