import { fetchKeySet } from '@latchkey/shared/auth';
import { explainError } from '../explain-error.ts';
import type { Finding } from './finding.ts';

/** The key set of viewer tokens, fetched as the server fetches it. */
export async function examineKeySet(url: string): Promise<Finding> {
  const about = 'AUTH_JWKS_URL';
  try {
    const { keys } = (await fetchKeySet(url)) as { keys?: { alg?: string; kty?: string; kid?: string }[] };
    if (!Array.isArray(keys) || keys.length === 0) {
      return {
        state: 'wrong',
        about,
        says: 'answers, but without keys',
        mend: 'it has to be a JSON Web Key Set',
      };
    }
    const names = keys.map(({ kid, alg, kty }) => `${kid ?? 'no kid'} (${alg ?? kty ?? '?'})`);
    return { state: 'ok', about, says: `answers with ${names.join(', ')}` };
  } catch (error) {
    const mend =
      'until it answers, tokens that it signs get a 503; check the address and the network from this machine';
    return { state: 'wrong', about, says: `cannot be fetched: ${explainError(error)}`, mend };
  }
}
