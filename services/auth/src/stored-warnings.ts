import type { ConfigurationWarning } from '@latchkey/shared/statistics';
import { countUnendingApiKeys } from './api-key-store.ts';
import type { SetupSecrets } from './config.ts';
import { lostManagersWarning } from './manager-warning.ts';
import type { Database } from './own-tables.ts';
import { openSetupWarning } from './setup-credential.ts';

/** The warnings about stored API keys, or about having none. */
export async function readStoredWarnings(db: Database, setup: SetupSecrets): Promise<ConfigurationWarning[]> {
  const warnings: ConfigurationWarning[] = [];
  const openSetup = await openSetupWarning(db, setup);
  if (openSetup) {
    warnings.push({
      code: 'SETUP_UNCLAIMED',
      severity: 'warning',
      title: 'Anyone may claim this server',
      detail: openSetup,
      documentation: 'README.md#two-commands',
    });
  }
  const unending = await countUnendingApiKeys(db);
  if (unending > 0) {
    warnings.push({
      code: 'API_KEYS_NEVER_EXPIRE',
      severity: 'notice',
      title: unending === 1 ? '1 API key never expires' : `${unending} API keys never expire`,
      detail:
        'A leaked key that never expires opens this server until somebody notices. Rotate it, with an expiry.',
      documentation: 'README.md#configuration',
    });
  }
  return warnings;
}

/**
 * The warning for the operator at the start.
 *
 * @param now milliseconds since 1970
 * @returns null if somebody can manage the server, and nobody can claim it
 */
export async function readStartWarning(
  db: Database,
  setup: SetupSecrets,
  now: number,
): Promise<string | null> {
  return (await openSetupWarning(db, setup)) ?? (await lostManagersWarning(db, setup, now));
}
