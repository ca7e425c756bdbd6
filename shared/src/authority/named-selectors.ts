/** The names of one generation. Pairs are nested maps, so that a look-up builds no text. */
class Generation {
  readonly viewers = new Map<string, number>();
  readonly contents = new Map<string, number>();
  /** By viewer id, then by content id. */
  readonly pairs = new Map<string, Map<string, number>>();
  /** Number of names added so far; the number of names kept is never larger. */
  namings = 0;

  name(viewerId: string | null, contentId: string | null, step: number): void {
    this.namings++;
    if (viewerId === null) {
      if (contentId !== null) this.contents.set(contentId, step);
    } else if (contentId === null) this.viewers.set(viewerId, step);
    else {
      const ofViewer = this.pairs.get(viewerId) ?? new Map<string, number>();
      this.pairs.set(viewerId, ofViewer.set(contentId, step));
    }
  }

  lastStep(viewerId: string, contentId: string): number {
    return Math.max(
      this.viewers.get(viewerId) ?? 0,
      this.contents.get(contentId) ?? 0,
      this.pairs.get(viewerId)?.get(contentId) ?? 0,
    );
  }
}

/**
 * Remembers when a change last named each viewer, content or pair, in steps of a cache. A change that covers hundreds of
 * thousands of entries costs one name here. Each entry is judged when it is next used.
 *
 * Memory is bounded by two generations. When the newer one is full, the older one is dropped, and every entry that was
 * last judged before its end counts as named. Entries in use are judged after each change, so only unused ones are lost.
 */
export class NamedSelectors {
  readonly #perGeneration: number;
  #recent = new Generation();
  #older = new Generation();
  /** The last step of the older generation. */
  #olderUpTo = 0;
  #forgottenUpTo = 0;
  #latestStep = 0;

  /** @param capacity maximum number of names; each takes some 150 bytes */
  constructor(capacity: number) {
    this.#perGeneration = Math.ceil(capacity / 2);
  }

  /** The last step in which any name was added: a state that was judged then or later is valid. */
  get latestStep(): number {
    return this.#latestStep;
  }

  /** Names every entry of a viewer, of a content, or of the pair. */
  name(viewerId: string | null, contentId: string | null, step: number): void {
    if (this.#recent.namings >= this.#perGeneration) {
      this.#forgottenUpTo = this.#olderUpTo;
      this.#older = this.#recent;
      this.#olderUpTo = this.#latestStep;
      this.#recent = new Generation();
    }
    this.#recent.name(viewerId, contentId, step);
    this.#latestStep = step;
  }

  /** Whether a change has named, or may have named, this viewer and content after the given step. */
  namedSince(viewerId: string, contentId: string, step: number): boolean {
    if (step >= this.#latestStep) return false;
    if (step < this.#forgottenUpTo || this.#recent.lastStep(viewerId, contentId) > step) return true;
    return step < this.#olderUpTo && this.#older.lastStep(viewerId, contentId) > step;
  }
}
