import {
  createApiKeyClient,
  createNeighbourClient,
  type NeighbourClient,
  type RemoteApiKeyVerifier,
  reportUsesEveryMs,
} from '../internal/index.ts';
import { createUpstream, systemLookup } from '../upstream/index.ts';
import type { ProcessBase, ProcessContext } from './process-context.ts';

/** Connections to each address of another service: calls are short, and the cache answers most of them. */
const connections = 32;

interface NeighbourAddress {
  name: string;
  urls: readonly string[];
}

/** A client of another service, closed with the process. That service need not run yet. */
export function connectNeighbour(
  { name, urls }: NeighbourAddress,
  { internalSecret }: { internalSecret: { reveal(): string } },
  { metrics, clock, log, warn, shutdown }: ProcessContext,
): NeighbourClient {
  const upstream = createUpstream({
    urls,
    lookup: systemLookup,
    clock,
    connections,
    onFault: (error) => log.warn(`${name} cannot be found`, { error }),
  });
  shutdown.add(`connections to ${name}`, 1_000, () => upstream.close());
  return createNeighbourClient({
    name,
    upstream,
    secret: internalSecret.reveal(),
    onFault: (_, error) => {
      metrics.upstreamErrors.inc({ upstream: name });
      warn(`${name} did not answer`, error);
    },
  });
}

/** Verifies API keys by calls to the auth service, and reports to it every few seconds which were used. */
export function connectApiKeys(auth: NeighbourClient, { jobs }: ProcessBase): RemoteApiKeyVerifier {
  const apiKeys = createApiKeyClient(auth);
  jobs.repeat({
    everyMs: reportUsesEveryMs,
    run: () => apiKeys.flush(),
    failed: 'uses of API keys could not be reported to the auth service',
  });
  return apiKeys;
}
