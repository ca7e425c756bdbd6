import {
  createApiKeyClient,
  type NeighbourClient,
  type RemoteApiKeyVerifier,
  reportUsesEveryMs,
} from '../internal/index.ts';
import type { ProcessBase } from './process-context.ts';

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
