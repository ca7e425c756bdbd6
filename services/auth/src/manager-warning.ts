import { hasApiKeys, hasManagers } from './api-key-store.ts';
import type { SetupSecrets } from './config.ts';
import type { Database } from './own-tables.ts';

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
  { bootstrapKey }: SetupSecrets,
  now: number,
): Promise<string | null> {
  if (bootstrapKey !== null || (await hasManagers(db, now))) return null;
  return (await hasApiKeys(db)) ? warning : null;
}
