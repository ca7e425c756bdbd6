import type { IncomingMessage } from 'node:http';
import { AppError } from '../errors/index.ts';
import { validationFailure } from './validation.ts';

/**
 * Whether a request has the Host header that RFC 9112 section 3.2 demands: exactly one, and before HTTP/1.1 at most one.
 *
 * @returns the refusal, or null
 */
export function refuseHost({ headers, rawHeaders, httpVersion }: IncomingMessage): AppError | null {
  if (headers.host === undefined)
    return httpVersion === '1.1'
      ? new AppError('VALIDATION_FAILED', { detail: 'HTTP/1.1 needs a Host header.' })
      : null;
  let times = 0;
  // Header names are at even indexes. `headers` has only the first Host; a proxy in front may have used the other one.
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') times++;
  }
  return times > 1 ? new AppError('VALIDATION_FAILED', { detail: 'There may be one Host header.' }) : null;
}

/**
 * Whether a request target has a fragment, which RFC 9112 section 3.2 forbids. The router would cut it off, and so ignore
 * what may have been meant as a query with a token.
 *
 * @returns the refusal, or null
 */
export function refuseFragment({ url = '' }: IncomingMessage): AppError | null {
  return url.includes('#') ? validationFailure('/path', 'must not have a fragment') : null;
}
