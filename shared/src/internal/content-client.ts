import { type Static, Type } from 'typebox';
import {
  ContentAnswerSchema,
  type ContentReader,
  createStrictReader,
  KeyVersionComparisonSchema,
  type KeyVersionRegistry,
} from '../contracts/index.ts';
import type { NeighbourClient } from './neighbour-client.ts';

const readContent = createStrictReader(ContentAnswerSchema, 'the state of a content');

/** The content service over HTTP. */
export function createContentClient(content: NeighbourClient): ContentReader {
  return {
    findContent: (contentId) =>
      content.get(`/internal/contents/${encodeURIComponent(contentId)}`, (body) => readContent(body).content),
  };
}

const { differing, missing } = KeyVersionComparisonSchema.properties;
/** A content service of 0.2.0 does not report what is missing. */
const PartialComparisonSchema = Type.Object({ differing, missing: Type.Optional(missing) });
const readComparison = createStrictReader(PartialComparisonSchema, 'a comparison of key versions');

export function createKeyVersionClient(content: NeighbourClient): KeyVersionRegistry {
  return {
    compare: (fingerprints) =>
      content.post('/internal/key-versions', { fingerprints: Object.fromEntries(fingerprints) }, (body) => {
        const comparison: Static<typeof PartialComparisonSchema> = readComparison(body);
        return { missing: [], ...comparison };
      }),
  };
}
