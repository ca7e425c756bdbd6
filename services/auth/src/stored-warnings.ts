import type { Alert } from '@latchkey/shared/contracts';
import type { SetupExceptionSettings } from '@latchkey/shared/http';
import type { ConfigurationWarning } from '@latchkey/shared/statistics';
import { countUnendingApiKeys, hasApiKeys, hasManagers } from './api-key-store.ts';
import type { SetupSecrets } from './config.ts';
import type { Database } from './own-tables.ts';
import { openSetupWarning, setupExceptionWarning } from './setup-credential.ts';

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
      documentation: 'docs/operate/configuration.md#set-most-often',
    });
  }
  return warnings;
}

/** The warnings that count as problems, as the Overview shows them. */
export function toAlerts(warnings: readonly ConfigurationWarning[]): Alert[] {
  return warnings
    .filter(({ severity }) => severity === 'warning')
    .map(({ code, title, detail }) => ({ id: code, severity: 'warning', title, advice: detail }));
}

/**
 * The warning for the operator at the start.
 *
 * @param values whether calls from this machine may claim it without the bootstrap key
 * @param now milliseconds since 1970
 * @returns null if somebody can manage the server, and nobody can claim it without a credential
 */
export async function readStartWarning(
  db: Database,
  setup: SetupSecrets,
  values: SetupExceptionSettings,
  now: number,
): Promise<string | null> {
  return (
    (await openSetupWarning(db, setup)) ??
    (await setupExceptionWarning(db, setup, values)) ??
    (await lostManagersWarning(db, setup, now))
  );
}

/** One line, so that it fits into a header. */
const warning =
  'No API key with scope admin or full is left, so nobody can manage this server. To make one, run on the machine of the ' +
  'database: npx latchkey api-keys create --name rescue. Or set ADMIN_API_KEY and restart.';

/**
 * The warning for the caller and the operator after the last key that can manage the server has ended. The revocation is not
 * refused, because the key may have leaked.
 *
 * @param now milliseconds since 1970
 * @returns null if somebody can still manage it, or if it was never claimed
 */
export async function lostManagersWarning(
  db: Database,
  { bootstrapKeys }: SetupSecrets,
  now: number,
): Promise<string | null> {
  if (bootstrapKeys.length > 0 || (await hasManagers(db, now))) return null;
  return (await hasApiKeys(db)) ? warning : null;
}
