import type { Clock } from './clock.ts';
import { PlayerError } from './player-error.ts';
import type { AuthReason, KeyServerAuth } from './player-options.ts';
import { withTimeout } from './with-timeout.ts';

/**
 * Calls the application's callback.
 *
 * @returns a string that a header can carry; empty for no token
 * @throws PlayerError `AUTH_FAILED`: transient where the callback fails or is late, final where it returns anything but a
 *   string. `UNAUTHENTICATED` where no header can carry the token. A PlayerError that the callback throws, as it is
 */
export function askForToken(clock: Clock, keyServerAuth: KeyServerAuth, reason: AuthReason): Promise<string> {
  const ask = async () => checkToken(await keyServerAuth({ reason }));
  return withTimeout(clock, ask, {
    failed: (cause) => authFailed(`keyServerAuth failed: ${wordsOf(cause)}`, { isTransient: true, cause }),
    late: (limitMs) => authFailed(`keyServerAuth gave no token within ${limitMs} ms.`, { isTransient: true }),
  });
}

/** @throws PlayerError; it never quotes what was given, which may be a secret */
export function checkToken(given: unknown): string {
  if (typeof given !== 'string') {
    throw authFailed(
      `keyServerAuth gave ${kindOf(given)}. It has to give the token as a string; '' sends none.`,
    );
  }
  try {
    // `fetch` would fail as it does where there is no server, and be tried again.
    new Headers({ Authorization: `Bearer ${given}` });
  } catch {
    // Without the cause: some runtimes quote the token in it.
    throw new PlayerError('UNAUTHENTICATED', 'keyServerAuth gave a token that no header can carry.');
  }
  return given;
}

/** @throws TypeError */
export function requireCallback(keyServerAuth: unknown): void {
  if (typeof keyServerAuth === 'function') return;
  throw new TypeError(`keyServerAuth has to be a function that gives a token, not ${kindOf(keyServerAuth)}.`);
}

const authFailed = (message: string, details = {}) => new PlayerError('AUTH_FAILED', message, details);

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  return `${typeof value === 'object' ? 'an' : 'a'} ${Array.isArray(value) ? 'array' : typeof value}`;
}

function wordsOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message || thrown.name : String(thrown);
}
