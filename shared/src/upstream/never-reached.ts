import { TlsRefused } from '../tls/index.ts';
import { NotStarted } from './phase.ts';

/** undici's errors where it found no connection, or was not allowed to make one. */
const codes = new Set(['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_CLOSED']);
/** The system calls before the first byte. The same errors on an open connection (EHOSTUNREACH, ENETUNREACH) come too late. */
const calls = new Set(['connect', 'getaddrinfo']);

/** Whether the request was never started, so that trying another address cannot do it twice. */
export function neverReached(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // The handshake comes before the request.
  if (error instanceof NotStarted || error instanceof TlsRefused) return true;
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(neverReached);
  const { code = '', syscall = '' } = error as NodeJS.ErrnoException;
  return codes.has(code) || calls.has(syscall);
}

/** Reported when a connection broke: usually one that the other service closed while it was idle. */
const brokenCodes = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/** Whether a request that changes nothing can be repeated: the connection broke before its answer was complete. */
export function brokeBeforeAnswer(error: unknown): boolean {
  return error instanceof Error && brokenCodes.has((error as NodeJS.ErrnoException).code ?? '');
}
