import { isContentId, type TokenContents } from '../contracts/index.ts';
import { type TextPool, textBytes } from '../memory/index.ts';

/** The separator. No id contains one, so a search for an id between two separators finds only whole ids. */
const separator = ' ';

/**
 * The ids in one text: 250 of them take 5 KB, where a set takes 20 KB. Finding one of 250 takes less than a microsecond;
 * verifying the token takes a hundred.
 */
export class ContentList implements TokenContents {
  readonly #text: string;

  /** @param text as made by `listContents`. The text is what is remembered; the list around it is made for each request */
  constructor(text: string) {
    this.#text = text;
  }

  has(contentId: string): boolean {
    return isContentId(contentId) && this.#text.includes(separator + contentId + separator);
  }
}

/**
 * @param ids those that cannot be the id of a content are left out, because no request can name them
 * @param pool keeps equal lists once, such as those of one subscription
 * @returns the text of a `ContentList`, and the bytes that it adds beyond what other lists take already
 */
export function listContents(ids: Iterable<string>, pool: TextPool): { text: string; bytes: number } {
  const possible = [...new Set(ids)].filter((id) => isContentId(id));
  const text = separator + possible.map((id) => id + separator).join('');
  const bytes = pool.has(text) ? 0 : textBytes(text);
  return { text: pool.share(text), bytes };
}
