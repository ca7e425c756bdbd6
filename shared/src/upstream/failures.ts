import { TlsRefused } from '../tls/index.ts';

/** Nothing was done with the request, so any request can be sent again. */
export class NotStarted extends Error {
  constructor(why = 'it is still starting') {
    super(why);
  }
}

/** A 503 of a process that is `unsure`: another one may be able to answer. */
export class UnsureReplica extends Error {
  constructor() {
    super('its cached states may be out of date');
  }
}

/** An address that keeps a request waiting. */
export class Unresponsive extends Error {
  constructor(why = 'it does not respond') {
    super(why);
  }
}

/** A 503 with `elsewhereHeader`. */
export class TryElsewhere extends Error {
  constructor() {
    super('it cannot answer this request');
  }
}

/** The answer belongs to another request, so the connection cannot be used any more. */
export class AnswersAnother extends Error {
  constructor() {
    super('it answered another request');
  }
}

/** undici's errors when it found no connection, or was not allowed to make one. */
const unsentCodes = new Set(['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_CLOSED']);
/** The system calls before the first byte. The same errors on an open connection (EHOSTUNREACH, ENETUNREACH) come too late. */
const unsentCalls = new Set(['connect', 'getaddrinfo']);

/** Whether no connection was made, so that the address counts as lost. */
export function tookNoConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // The handshake comes before the request.
  if (error instanceof TlsRefused) return true;
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(tookNoConnection);
  const { code = '', syscall = '' } = error as NodeJS.ErrnoException;
  return unsentCodes.has(code) || unsentCalls.has(syscall);
}

/** Reported when a connection broke: usually one that the other service closed while it was idle. */
const brokenCodes = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/** Whether a request that changes nothing can be repeated: the connection broke before its answer was complete. */
export function brokeBeforeAnswer(error: unknown): boolean {
  if (error instanceof AnswersAnother) return true;
  return error instanceof Error && brokenCodes.has((error as NodeJS.ErrnoException).code ?? '');
}

/** No answer in time: `AbortSignal.timeout` aborts with one of these. */
export function isSilence(error: unknown): boolean {
  return error instanceof Unresponsive || (error instanceof Error && error.name === 'TimeoutError');
}
