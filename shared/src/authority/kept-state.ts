/** The facts about a load that the cache keeps. */
export interface ReadFacts {
  readonly loadNumber: number;
  readonly heldAtMs: number;
  readonly readAfterMs: number | null;
  /** The cache's step at which the load is kept. */
  readonly step: number;
}

/**
 * An entry of an `AuthorityCache`. It has as few objects and fractions as possible, because there is one for each viewer. A
 * value with many entries stores its fields in the entry itself: a separate object takes four words more.
 */
export abstract class KeptState<V> {
  readonly loadNumber: number;
  /** Monotonic milliseconds: the state held at this instant or later. */
  readonly heldAtMs: number;
  /**
   * When the load began by the wall clock, minus `heldAtMs` and minus the cache's origin: a number small enough that V8
   * needs no object for it. Null where the load did not read the owner.
   */
  readonly readAfterMs: number | null;
  /** When it was kept, in steps of the cache. */
  readonly keptAtStep: number;
  /** Up to this step no selector has named the entry. */
  judgedAtStep: number;

  constructor({ loadNumber, heldAtMs, readAfterMs, step }: ReadFacts) {
    this.loadNumber = loadNumber;
    this.heldAtMs = heldAtMs;
    this.readAfterMs = readAfterMs;
    this.keptAtStep = step;
    this.judgedAtStep = step;
  }

  abstract readonly value: V | null;
}

/** An entry that refers to its value; null where the key has none. */
export class KeptValue<V> extends KeptState<V> {
  readonly value: V | null;

  constructor(value: V | null, facts: ReadFacts) {
    super(facts);
    this.value = value;
  }
}
