import {
  createApiKeyClient,
  type NeighbourClient,
  type RemoteApiKeyVerifier,
  reportUsesEveryMs,
} from '../internal/index.ts';
import { everyMs } from '../lifecycle/index.ts';
import type { ServiceContext } from './run-service.ts';

/** What verifies API keys by asking the auth service, and tells it now and then, and at the end, which were used. */
export function connectApiKeys(
  auth: NeighbourClient,
  { log, shutdown }: Pick<ServiceContext<never>, 'log' | 'shutdown'>,
): RemoteApiKeyVerifier {
  const apiKeys = createApiKeyClient(auth);
  const flushes = everyMs(
    reportUsesEveryMs,
    () => apiKeys.flush(),
    (error) => log.error('uses of API keys could not be told', { error }),
  );
  shutdown.add('telling uses', 2_000, () => flushes.stop());
  return apiKeys;
}
