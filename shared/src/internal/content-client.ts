import type { ContentReader, KeyVersionRegistry } from '../contracts/index.ts';
import type { NeighbourClient } from './neighbour-client.ts';
import { isNumber, readObject } from './parse-answer.ts';

/** The content service over the wire. */
export function createContentClient(content: NeighbourClient): ContentReader {
  return {
    findContent: (contentId) =>
      content.get(`/internal/contents/${encodeURIComponent(contentId)}`, (body) => {
        const answer = readObject(body);
        if (answer.content === null) return null;
        const { status, keyVersion } = readObject(answer.content);
        if ((status !== 'active' && status !== 'disabled') || !isNumber(keyVersion)) {
          throw new TypeError('not the state of a content');
        }
        return { status, keyVersion };
      }),
  };
}

export function createKeyVersionClient(content: NeighbourClient): KeyVersionRegistry {
  return {
    compare: (fingerprints) =>
      content.post('/internal/key-versions', { fingerprints: Object.fromEntries(fingerprints) }, (body) => {
        // A content service of the release before does not tell what is missing.
        const { differing, missing = [] } = readObject(body);
        return { differing: readVersions(differing), missing: readVersions(missing) };
      }),
  };
}

function readVersions(value: unknown): number[] {
  if (!Array.isArray(value) || !value.every(isNumber)) throw new TypeError('not a list of versions');
  return value;
}
