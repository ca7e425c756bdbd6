import {
  ApiKeyAnswerSchema,
  type ApiKeyVerifier,
  type AskedApiKey,
  ContentAnswerSchema,
  type ContentReader,
  createStrictReader,
  KeyVersionComparisonSchema,
  type KeyVersionRegistry,
  LeaseAnswerSchema,
  type LeaseReader,
  MarkAnswerSchema,
  type ViewerAndContent,
} from '../contracts/index.ts';
import type { OwnerLeaseReader } from '../replicas/index.ts';
import { apiKeyBatch, contentBatch, leaseBatch, markBatch } from './batch-kinds.ts';
import { createBatchReader } from './batch-routes.ts';
import { alone, gatherReads } from './gather-reads.ts';
import { gatherUses } from './gather-uses.ts';
import type { InternalClient } from './internal-client.ts';

const readLease = createStrictReader(
  LeaseAnswerSchema,
  'the state of a lease with its place in the change feed',
);
const readMark = createStrictReader(MarkAnswerSchema, 'a mark with its place in the change feed');

/** An answer about leases without its place in the feed could not be shared with other replicas. */
const withPlace = <V>(value: V, asOf: number | undefined) => (asOf === undefined ? alone : { value, asOf });

/** The lease service over HTTP. */
export interface LeaseClient extends LeaseReader {
  /** Same, with the place in the change feed at which each answer is known to be true. */
  stamped: OwnerLeaseReader;
}

export function createLeaseClient(leases: InternalClient): LeaseClient {
  const findMark = gatherReads({
    readOne: (pair: ViewerAndContent) =>
      leases.get(`/internal/marks?${new URLSearchParams({ ...pair })}`, readMark),
    readMany: createBatchReader(leases, markBatch, withPlace),
  });
  const stamped: OwnerLeaseReader = {
    findLease: gatherReads({
      readOne: (leaseId: string) => leases.get(`/internal/leases/${encodeURIComponent(leaseId)}`, readLease),
      readMany: createBatchReader(leases, leaseBatch, withPlace),
    }),
    findMark: (viewerId, contentId) => findMark({ viewerId, contentId }),
  };
  return {
    stamped,
    findLease: async (leaseId) => (await stamped.findLease(leaseId)).value,
    findMark: async (viewerId, contentId) => (await stamped.findMark(viewerId, contentId)).value,
  };
}

const readContent = createStrictReader(ContentAnswerSchema, 'the state of a content');

/** The content service over HTTP. */
export function createContentClient(content: InternalClient): ContentReader {
  return {
    findContent: gatherReads({
      readOne: (contentId: string) =>
        content.get(
          `/internal/contents/${encodeURIComponent(contentId)}`,
          (body) => readContent(body).content,
        ),
      readMany: createBatchReader(content, contentBatch, (state) => state),
    }),
  };
}

const readComparison = createStrictReader(KeyVersionComparisonSchema, 'a comparison of key versions');

export function createKeyVersionClient(content: InternalClient): KeyVersionRegistry {
  return {
    compare: (fingerprints) =>
      content.post(
        '/internal/key-versions',
        { fingerprints: Object.fromEntries(fingerprints) },
        readComparison,
      ),
  };
}

/** How long uses of keys are gathered before they are reported: `docs/reference/contract.md#api-keys` allows a minute. */
export const reportUsesEveryMs = 5_000;

const readAnswer = createStrictReader(ApiKeyAnswerSchema, 'the state of an API key');

/** The auth service over HTTP. Its user calls `flush` every `reportUsesEveryMs` and at its end. */
export type RemoteApiKeyVerifier = ReturnType<typeof createApiKeyClient>;

export function createApiKeyClient(auth: InternalClient) {
  const findApiKey = gatherReads({
    readOne: ({ keyHash, wellFormed }: AskedApiKey) =>
      auth.get(`/internal/api-keys/${keyHash}?wellFormed=${wellFormed}`, (body) => readAnswer(body).apiKey),
    readMany: createBatchReader(auth, apiKeyBatch, (state) => state),
  });
  // The client has already reported a failure.
  const uses = gatherUses((part) =>
    auth.post('/internal/api-keys/uses', { uses: Object.fromEntries(part) }, () => undefined),
  );
  return {
    findApiKey: (keyHash: string, wellFormed: boolean) => findApiKey({ keyHash, wellFormed }),
    noteUse: uses.note,
    /** Reports the uses that were noted. Uses that could not be reported are kept for the next time. */
    flush: uses.flush,
  } satisfies ApiKeyVerifier & { flush(): Promise<void> };
}
