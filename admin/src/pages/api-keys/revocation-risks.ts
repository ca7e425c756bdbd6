import type { ApiKey, CurrentApiKey } from '../../api/resources.ts';

export interface RevocationRisks {
  /** It is what the admin is signed in with. */
  isOwn: boolean;
  /** Afterwards no stored key may manage. Null while that is not known. */
  isLastManager: boolean | null;
}

/**
 * What to warn of before a key is revoked.
 *
 * @param managers active keys of scope admin and full, at least two of each where there are so many; undefined until known
 */
export function risksOf(
  apiKey: ApiKey,
  current: CurrentApiKey,
  managers: readonly ApiKey[] | undefined,
): RevocationRisks {
  const isManager = apiKey.scope === 'admin' || apiKey.scope === 'full';
  const known = managers && managers.length === 1 && managers[0]?.id === apiKey.id;
  return {
    isOwn: current.id === apiKey.id,
    isLastManager: isManager ? (known ?? null) : false,
  };
}
