import type { OpenApiDocument } from '@latchkey/shared/http';
import { createInternalClient } from '@latchkey/shared/internal';
import { listUpstreams, type Upstreams } from './route-table.ts';

/** A service makes its document for the first reader, on a thread that loads the generator. Nothing but tools wait for it. */
const documentLimitMs = 10_000;

/**
 * The OpenAPI documents of all services that run elsewhere.
 *
 * @throws AppError DEPENDENCY_UNAVAILABLE if one does not answer: half a document would be wrong
 */
export function fetchServiceDocuments(
  upstreams: Upstreams,
  secret: string,
  onFault: (service: string, error: unknown) => void,
): Promise<OpenApiDocument[]> {
  return Promise.all(
    listUpstreams(upstreams).map(({ name, upstream }) =>
      createInternalClient({ name, upstream, secret, onFault, answerTimeoutMs: documentLimitMs }).get(
        '/openapi.json',
        (document) => document as OpenApiDocument,
      ),
    ),
  );
}
