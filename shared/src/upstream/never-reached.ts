import { NotStarted } from './phase.ts';

/** What undici reports when it found no connection, or was told to make none. */
const codes = new Set(['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_CLOSED']);
/** The system calls before the first byte. The same errors of an open connection (EHOSTUNREACH, ENETUNREACH) come too late. */
const calls = new Set(['connect', 'getaddrinfo']);

/** Whether the request has not begun to be done, so that trying another address cannot do it twice. */
export function neverReached(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof NotStarted) return true;
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(neverReached);
  const { code = '', syscall = '' } = error as NodeJS.ErrnoException;
  return codes.has(code) || calls.has(syscall);
}

/** What is reported when a connection broke: the usual end of one that the neighbour closed while it lay idle. */
const brokenCodes = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/** Whether a request that changes nothing can be asked again: the connection broke before its answer was complete. */
export function brokeBeforeAnswer(error: unknown): boolean {
  return error instanceof Error && brokenCodes.has((error as NodeJS.ErrnoException).code ?? '');
}
