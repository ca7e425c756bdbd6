import {
  createApiKeyClient,
  createInternalClient,
  type InternalClient,
  type RemoteApiKeyVerifier,
  reportUsesEveryMs,
} from '../internal/index.ts';
import { describeServiceTls } from '../tls/index.ts';
import { createUpstream, systemLookup } from '../upstream/index.ts';
import { describeLostService } from './lost-service.ts';
import type { ProcessBase, ProcessContext } from './process-context.ts';

/** Connections to each address of another service: calls are short, and the cache answers most of them. */
const connections = 32;

interface ServiceAddress {
  name: string;
  urls: readonly string[];
}

/** A client of another service, closed with the process. That service need not run yet. */
export function connectService(
  { name, urls }: ServiceAddress,
  { internalSecret }: { internalSecret: { reveal(): string } },
  { metrics, warn, shutdown, tracer, internalTls }: ProcessContext,
): InternalClient {
  const upstream = createUpstream({
    urls,
    lookup: systemLookup,
    connections,
    tls: describeServiceTls(name, internalTls),
    onFault: (error) =>
      warn(
        `the host name of ${name} cannot be resolved: addresses known before stay in use. Check the URL and DNS`,
        error,
      ),
  });
  shutdown.add(`connections to ${name}`, 1_000, () => upstream.close());
  return createInternalClient({
    name,
    upstream,
    secret: internalSecret.reveal(),
    tracer,
    onFault: (_, error) => {
      metrics.upstreamErrors.inc({ upstream: name });
      warn(describeLostService(name), error);
    },
  });
}

/** Verifies API keys by calls to the auth service, and reports to it every few seconds which were used. */
export function connectApiKeys(auth: InternalClient, { jobs }: ProcessBase): RemoteApiKeyVerifier {
  const apiKeys = createApiKeyClient(auth);
  jobs.repeat({
    everyMs: reportUsesEveryMs,
    run: () => apiKeys.flush(),
    failed: 'uses of API keys could not be reported to the auth service',
  });
  return apiKeys;
}
