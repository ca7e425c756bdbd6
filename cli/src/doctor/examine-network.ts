import { fetchKeySet } from '@latchkey/shared/auth';
import type { Clock } from '@latchkey/shared/clock';
import { explainError } from '../explain-error.ts';
import type { Finding } from './finding.ts';

/** Fetches the key set of viewer tokens as the server does. */
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

const answerLimitMs = 2_000;

/** Whether the port is free, or taken by a server that already runs. */
export async function examinePort(port: number, clock: Clock): Promise<Finding> {
  const about = `PORT (${port})`;
  if (port === 0) return { state: 'ok', about, says: 'is whichever is free' };
  const beganAtMs = clock.monotonic();
  try {
    const response = await fetch(`http://127.0.0.1:${port}/health`, {
      signal: AbortSignal.timeout(answerLimitMs),
    });
    const { status, version } = (await response.json()) as { status?: unknown; version?: unknown };
    if (status === 'ok' && typeof version === 'string') {
      const tookMs = Math.round(clock.monotonic() - beganAtMs);
      return { state: 'ok', about, says: `Latchkey ${version} answers there, in ${tookMs} ms` };
    }
  } catch (error) {
    const { cause } = error as { cause?: { code?: string } };
    if (cause?.code === 'ECONNREFUSED') return { state: 'ok', about, says: 'is free' };
  }
  return {
    state: 'wrong',
    about,
    says: 'is taken by something else',
    mend: 'stop that, or set PORT to another',
  };
}
