/**
 * A map that forgets its oldest entries. First in, first out, and not least recently used: a hit then costs one look-up
 * and no write, and what is evicted while still in use costs one load.
 */
export class BoundedMap<V> {
  readonly #entries = new Map<string, V>();
  readonly #capacity: number;
  readonly #onEvict: (key: string, value: V) => void;

  constructor(capacity: number, onEvict: (key: string, value: V) => void = () => {}) {
    this.#capacity = capacity;
    this.#onEvict = onEvict;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): V | undefined {
    return this.#entries.get(key);
  }

  set(key: string, value: V): void {
    this.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#capacity) return;
    const oldest = this.#entries.keys().next().value;
    if (oldest !== undefined) this.delete(oldest);
  }

  delete(key: string): void {
    const value = this.#entries.get(key);
    if (value !== undefined && this.#entries.delete(key)) this.#onEvict(key, value);
  }

  clear(): void {
    this.#entries.clear();
  }
}
