import type { IncomingMessage } from 'node:http';
import { apiKeyPattern, hashCredential, readBearer } from '@latchkey/shared/auth';
import { apiKeyCacheKey } from '@latchkey/shared/authority';
import type { Principal } from '@latchkey/shared/contracts';
import { AppError } from '@latchkey/shared/errors';
import { foreignPageReasons } from '@latchkey/shared/http';
import { hasApiKeys } from './api-key-store.ts';
import type { AuthRouteOptions } from './auth-route-options.ts';
import type { SetupSecrets } from './config.ts';
import type { Database } from './own-tables.ts';
import { isSameHash } from './same-hash.ts';

/** What a caller of setup has to present. */
export type SetupCredential = 'none' | 'bootstrap-key' | 'setup-token';

type SetupRules = Pick<AuthRouteOptions, 'setup' | 'originOf'>;

/**
 * What setup demands of this caller (`docs/contract.md#setup`). A setup token is demanded of everyone, also where there is a
 * bootstrap key. A bootstrap key is demanded of everyone who does not call from the machine itself.
 */
export function demandedSetupCredential(
  { setup, originOf }: SetupRules,
  request: IncomingMessage,
): SetupCredential {
  if (setup.setupToken !== null) return 'setup-token';
  return setup.bootstrapKey !== null && !originOf(request).isDirect ? 'bootstrap-key' : 'none';
}

/** @throws AppError SETUP_REFUSED where a web page of another origin calls: its visitor would claim the server for it */
export function refuseForeignPage({ originOf }: SetupRules, request: IncomingMessage): void {
  const { foreignPage } = originOf(request);
  if (foreignPage !== null) throw new AppError('SETUP_REFUSED', { detail: foreignPageReasons[foreignPage] });
}

/**
 * @returns who calls, as far as the credential tells: the bootstrap key is a principal, a setup token is nobody's name
 * @throws AppError UNAUTHENTICATED where a credential is demanded and there is none, INVALID_API_KEY where it is wrong
 */
export function checkSetupCredential(rules: SetupRules, request: IncomingMessage): Principal | null {
  const demanded = demandedSetupCredential(rules, request);
  if (demanded === 'none') return null;
  const { bootstrapKey, setupToken } = rules.setup;
  const presented = readBearer(request.headers);
  if (presented === null) {
    const what = demanded === 'setup-token' ? 'setup token' : 'bootstrap key';
    throw new AppError('UNAUTHENTICATED', { detail: `Send the ${what}: Authorization: Bearer …` });
  }
  const keyHash = hashCredential(presented);
  const expected = demanded === 'setup-token' ? setupToken : bootstrapKey;
  if (expected === null || !isSameHash(keyHash, hashCredential(expected)))
    throw new AppError('INVALID_API_KEY', { detail: 'This is not the credential that setup asks for.' });
  if (demanded === 'setup-token') return null;
  const cacheKey = apiKeyCacheKey(keyHash, apiKeyPattern.test(presented));
  return { kind: 'api-key', id: null, name: 'bootstrap', scope: 'admin', cacheKey };
}

/**
 * What the operator has to hear at start while anyone who reaches the server could claim it.
 *
 * @returns null where a credential guards setup, or where it is done
 */
export async function openSetupWarning(db: Database, setup: SetupSecrets): Promise<string | null> {
  if (setup.bootstrapKey !== null || setup.setupToken !== null || (await hasApiKeys(db))) return null;
  return (
    'No API key is stored, and POST /api/v1/setup is open: whoever calls it first becomes the admin. ' +
    'Call it now, or set ADMIN_API_KEY or SETUP_TOKEN.'
  );
}
