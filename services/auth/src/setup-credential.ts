import type { IncomingMessage } from 'node:http';
import { apiKeyPattern, hashCredential, readBearer } from '@latchkey/shared/auth';
import { apiKeyCacheKey } from '@latchkey/shared/authority';
import type { Principal } from '@latchkey/shared/contracts';
import { AppError } from '@latchkey/shared/errors';
import {
  allowsSetupException,
  type ForeignPageReason,
  foreignPageReasons,
  type SetupExceptionSettings,
  type SetupOrigin,
} from '@latchkey/shared/http';
import { foreignPageHeader, isDirectHeader } from '@latchkey/shared/internal';
import { hasApiKeys } from './api-key-store.ts';
import { isAmongHashes } from './api-key-verifier.ts';
import type { AuthRouteOptions } from './auth-route-options.ts';
import type { SetupSecrets } from './config.ts';
import type { Database } from './own-tables.ts';

/** The credential that a caller of setup must present. */
type SetupCredential = 'none' | 'bootstrap-key' | 'setup-token';

type SetupRules = Pick<AuthRouteOptions, 'setup' | 'originOf'>;

/**
 * The credential that setup requires of this caller (`docs/reference/contract.md#setup`). If a setup token is configured, every caller needs
 * it. Otherwise, if a bootstrap key is configured, every caller needs it, except for calls from the machine itself while the exception is open.
 */
export function demandedSetupCredential(
  { setup, originOf }: SetupRules,
  request: IncomingMessage,
): SetupCredential {
  if (setup.setupToken !== null) return 'setup-token';
  return setup.bootstrapKeys.length > 0 && !originOf(request).isDirect ? 'bootstrap-key' : 'none';
}

/** @throws AppError SETUP_REFUSED if a web page of another origin calls: it could claim the server through its visitor's browser */
export function refuseForeignPage({ originOf }: SetupRules, request: IncomingMessage): void {
  const { foreignPage } = originOf(request);
  if (foreignPage !== null) throw new AppError('SETUP_REFUSED', { detail: foreignPageReasons[foreignPage] });
}

/**
 * @returns the caller if the bootstrap key names it; null for a setup token, which names nobody
 * @throws AppError UNAUTHENTICATED without a required credential, INVALID_API_KEY with a wrong one
 */
export function checkSetupCredential(rules: SetupRules, request: IncomingMessage): Principal | null {
  const demanded = demandedSetupCredential(rules, request);
  if (demanded === 'none') return null;
  const { bootstrapKeys, setupToken } = rules.setup;
  const presented = readBearer(request.headers);
  if (presented === null) {
    const what = demanded === 'setup-token' ? 'setup token' : 'bootstrap key';
    throw new AppError('UNAUTHENTICATED', { detail: `Send the ${what}: Authorization: Bearer …` });
  }
  const keyHash = hashCredential(presented);
  const expected = demanded === 'setup-token' ? [setupToken ?? []].flat() : bootstrapKeys;
  if (!isAmongHashes(keyHash, expected.map(hashCredential)))
    throw new AppError('INVALID_API_KEY', { detail: 'This is not the credential that setup requires.' });
  if (demanded === 'setup-token') return null;
  const cacheKey = apiKeyCacheKey(keyHash, apiKeyPattern.test(presented));
  return { kind: 'api-key', id: null, name: 'bootstrap', scope: 'admin', contents: null, cacheKey };
}

/**
 * The warning at the start while anyone who reaches the server can claim it.
 *
 * @returns null if setup needs a credential or is done
 */
export async function openSetupWarning(db: Database, setup: SetupSecrets): Promise<string | null> {
  if (setup.bootstrapKeys.length > 0 || setup.setupToken !== null || (await hasApiKeys(db))) return null;
  return (
    'No API key is stored, and POST /api/v1/setup is open: the first caller becomes the admin. ' +
    'Call it now, or set ADMIN_API_KEY or SETUP_TOKEN.'
  );
}

/**
 * The warning at the start while a call from this machine can claim the server without the bootstrap key.
 *
 * @returns null if every call needs a credential, if setup is open to everyone (which has its own warning), or if it is done
 */
export async function setupExceptionWarning(
  db: Database,
  setup: SetupSecrets,
  settings: SetupExceptionSettings,
): Promise<string | null> {
  if (setup.bootstrapKeys.length === 0 || setup.setupToken !== null) return null;
  if (!allowsSetupException(settings) || (await hasApiKeys(db))) return null;
  // The auth service does not know the settings of a gateway before it.
  const unless = settings.trustProxy ? '' : ', unless the gateway has TRUST_PROXY or PUBLIC_URL';
  return (
    `No API key is stored. For ten minutes${unless}, a call of POST /api/v1/setup from this machine becomes the admin ` +
    'without ADMIN_API_KEY. So does every call that a proxy on this machine forwards without a header of its own. ' +
    'Set NODE_ENV=production.'
  );
}

/**
 * Where a call of setup comes from, by the internal headers of the gateway: a service behind it sees neither the client nor `Host`.
 *
 * @param isExceptionOpen by what this process knows itself: both have to agree
 */
export function readSetupOrigin({ headers }: IncomingMessage, isExceptionOpen: () => boolean): SetupOrigin {
  const given = String(headers[foreignPageHeader] ?? '');
  // A gateway of a later release may have a reason that this process does not know.
  const reason = Object.hasOwn(foreignPageReasons, given) ? (given as ForeignPageReason) : 'origin';
  return {
    isDirect: headers[isDirectHeader] === '1' && isExceptionOpen(),
    foreignPage: given === '' ? null : reason,
  };
}
