import { createNeighbourClient } from '@latchkey/shared/internal';
import type { Upstream } from '@latchkey/shared/upstream';
import { type ServiceName, serviceNames } from './route-table.ts';

/** The part of an OpenAPI document that services contribute. */
export interface ServiceDocument {
  paths?: Record<string, unknown>;
}

/**
 * The documents of all services.
 *
 * @throws AppError DEPENDENCY_UNAVAILABLE if one does not answer: half a document would be wrong
 */
export function fetchServiceDocuments(
  upstreams: Readonly<Record<ServiceName, Upstream>>,
  secret: string,
  onFault: (service: string, error: unknown) => void,
): Promise<ServiceDocument[]> {
  return Promise.all(
    serviceNames.map((name) =>
      createNeighbourClient({ name, upstream: upstreams[name], secret, onFault }).get(
        '/openapi.json',
        (document) => document as ServiceDocument,
      ),
    ),
  );
}
