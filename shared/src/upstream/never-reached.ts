/** What the network and undici report when no connection came about, so that no octet of the request left this process. */
const codes = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_DESTROYED',
  'UND_ERR_CLOSED',
]);

/** Whether a request that failed so can be tried at another address without being done twice. */
export function neverReached(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(neverReached);
  return codes.has((error as NodeJS.ErrnoException).code ?? '');
}

/** What is reported when a connection broke: the usual end of one that the neighbour closed while it lay idle. */
const brokenCodes = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/** Whether a request that changes nothing can be asked again: the connection broke before its answer began. */
export function brokeBeforeAnswer(error: unknown): boolean {
  return error instanceof Error && brokenCodes.has((error as NodeJS.ErrnoException).code ?? '');
}
