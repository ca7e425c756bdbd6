import type { IncomingMessage } from 'node:http';

/** `docs/contract.md#conventions`: an id that is safe to print and to pass on. */
const acceptable = /^[A-Za-z0-9._-]{1,64}$/;

/** The request's own id where it has an acceptable one, else a new one. */
export function requestIdOf(request: IncomingMessage, randomId: () => string): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && acceptable.test(given) ? given : randomId();
}
