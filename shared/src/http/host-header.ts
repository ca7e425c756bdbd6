import type { IncomingMessage } from 'node:http';
import { AppError } from '../errors/index.ts';
import { validationFailure } from './validation.ts';

/**
 * Whether a request names its host as RFC 9112 section 3.2 asks: once, and before HTTP/1.1 at most once.
 *
 * @returns the refusal, or null
 */
export function refuseHost({ headers, rawHeaders, httpVersion }: IncomingMessage): AppError | null {
  if (headers.host === undefined)
    return httpVersion === '1.1'
      ? new AppError('VALIDATION_FAILED', { detail: 'HTTP/1.1 needs a Host header.' })
      : null;
  let times = 0;
  // Names stand at even places. In `headers` only the first Host is left: a proxy in front may have gone by the other.
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') times++;
  }
  return times > 1 ? new AppError('VALIDATION_FAILED', { detail: 'There may be one Host header.' }) : null;
}

/**
 * Whether a request target has a fragment, which no target may have (RFC 9112 section 3.2). The router would cut it off, and so
 * serve what was perhaps meant to be a query with a token.
 *
 * @returns the refusal, or null
 */
export function refuseFragment({ url = '' }: IncomingMessage): AppError | null {
  return url.includes('#') ? validationFailure('/path', 'must not have a fragment') : null;
}
