import type { Clock } from '@latchkey/shared/clock';
import type { CustodianSettings } from '@latchkey/shared/config';
import type { AnyMasterKey } from '@latchkey/shared/derivation';
import type { Shutdown } from '@latchkey/shared/lifecycle';
import type { OperatorLog } from '@latchkey/shared/log';
import type { CustodianMetrics } from '@latchkey/shared/metrics';
import { type CustodianCalls, createCustodianCalls } from './call-custodian.ts';
import { openProviders } from './providers.ts';

/** A version of the master key that another system holds. */
export interface CustodiedVersion {
  masterKey: Extract<AnyMasterKey, { mac: unknown }>;
  provider: CustodianSettings['provider'];
  calls: CustodianCalls;
}

export interface CustodyContext {
  clock: Clock;
  log: Pick<OperatorLog, 'warn'>;
  shutdown: Pick<Shutdown, 'add'>;
  metrics: CustodianMetrics;
}

/** Each provider answers a call within two seconds. */
const closeTimeoutMs = 3_000;

/**
 * Opens the custodian of each version. A provider's package is loaded only if a setting names the provider. No call is made yet.
 *
 * @throws CustodianFault naming the variable or the package
 */
export async function openCustodians(
  settings: readonly CustodianSettings[],
  { clock, log, shutdown, metrics }: CustodyContext,
): Promise<CustodiedVersion[]> {
  if (settings.length === 0) return [];
  const providers = await openProviders(settings);
  shutdown.add('the custodians of the master key', closeTimeoutMs, () => providers.close());
  return settings.map((each) => {
    const { version, provider } = each;
    const calls = createCustodianCalls({
      custodian: providers.open(each),
      clock,
      random: Math.random,
      pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      onCall: metrics.observeCall,
      onFault: (fault) =>
        log.warn(
          `the master key of version ${version} is at ${provider}, which does not answer: ${fault.message}. Keys that are kept are served, others get 503`,
        ),
    });
    metrics.watch(calls);
    return { masterKey: { version, mac: calls.mac }, provider, calls };
  });
}
