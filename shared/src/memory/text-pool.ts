import { textBytes } from './memory-size.ts';

/**
 * Keeps one copy of texts that many entries share, such as the id of a popular content. When it is full it starts again:
 * existing entries keep their copies, and later ones share new copies.
 */
export class TextPool {
  readonly #maxBytes: number;
  readonly #texts = new Map<string, string>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Whether an equal text is stored, so that another entry with it takes no more memory. */
  has(text: string): boolean {
    return this.#texts.has(text);
  }

  /** @returns an equal text, the same object for every caller */
  share(text: string): string {
    const shared = this.#texts.get(text);
    if (shared !== undefined) return shared;
    const bytes = textBytes(text);
    if (bytes > this.#maxBytes) return text;
    if (this.#bytes + bytes > this.#maxBytes) {
      this.#texts.clear();
      this.#bytes = 0;
    }
    this.#texts.set(text, text);
    this.#bytes += bytes;
    return text;
  }
}
