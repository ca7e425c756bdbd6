/** Which cached keys a change names: a lease, for one, goes by its id, its viewer, its content and the pair of both. */
export class TagIndex {
  readonly #keys = new Map<string, Set<string>>();

  add(key: string, tags: readonly string[]): void {
    for (const tag of tags) {
      const keys = this.#keys.get(tag);
      if (keys) keys.add(key);
      else this.#keys.set(tag, new Set([key]));
    }
  }

  remove(key: string, tags: readonly string[]): void {
    for (const tag of tags) {
      const keys = this.#keys.get(tag);
      if (!keys) continue;
      keys.delete(key);
      if (keys.size === 0) this.#keys.delete(tag);
    }
  }

  keysOf(tag: string): Iterable<string> {
    return this.#keys.get(tag) ?? [];
  }

  clear(): void {
    this.#keys.clear();
  }
}
