import { LRUCache } from 'lru-cache';
import { textBytes } from './memory-size.ts';

/**
 * Keeps one copy of texts that many entries share, such as the id of a popular content. Entries keep the copies of texts that it
 * has dropped, and later ones share new copies.
 */
export class TextPool extends LRUCache<string, string> {
  constructor(maxBytes: number) {
    super({ maxSize: maxBytes, sizeCalculation: textBytes });
  }

  /** @returns an equal text, the same object for every caller */
  share(text: string): string {
    const shared = this.get(text);
    if (shared === undefined) this.set(text, text);
    return shared ?? text;
  }
}
