import { ApiError, UnreachableError } from '../api/api-error.ts';

/** A fault in words: what is the matter, and what to do. */
export interface ErrorWords {
  title: string;
  advice: string;
  /** By which the server's log names the request. */
  requestId: string | null;
}

/** Words for anything that a request may end with. */
export function describeError(error: unknown): ErrorWords {
  if (error instanceof UnreachableError)
    return {
      title: 'The server does not answer',
      advice: 'Is it running, and is the way to it open? This page tries again by itself.',
      requestId: null,
    };
  if (!(error instanceof ApiError))
    return {
      title: 'Something in this page went wrong',
      advice: 'Load the page again. Nothing on the server was changed by that.',
      requestId: null,
    };
  const { requestId } = error;
  switch (error.code) {
    case 'INVALID_API_KEY':
    case 'UNAUTHENTICATED':
    case 'INVALID_TOKEN':
      return { title: 'This key is not accepted', advice: 'It is unknown, revoked or expired.', requestId };
    case 'INSUFFICIENT_SCOPE':
      return {
        title: 'Your key may not do this',
        advice: 'Sign in with a key of scope admin or full.',
        requestId,
      };
    case 'RATE_LIMITED':
      return { title: 'Too many requests', advice: `Try again ${inSeconds(error)}.`, requestId };
    case 'DEPENDENCY_UNAVAILABLE':
      return {
        title: 'A part of the server is not available',
        advice: `Try again ${inSeconds(error)}; /ready names the part.`,
        requestId,
      };
    case 'INTERNAL':
      return {
        title: 'The server failed at this request',
        advice: 'Its log has the cause, under the id of the request.',
        requestId,
      };
    case 'VALIDATION_FAILED':
      return { title: 'The server refused the input', advice: explainInput(error), requestId };
    default:
      return { title: 'The server said no', advice: error.detail, requestId };
  }
}

function inSeconds({ retryAfterSeconds }: ApiError): string {
  if (retryAfterSeconds === null || retryAfterSeconds < 2) return 'in a moment';
  return `in ${retryAfterSeconds} seconds`;
}

function explainInput({ errors, detail }: ApiError): string {
  if (errors.length === 0) return detail;
  return errors.map(({ path, message }) => `${path.replace(/^\//, '')} ${message}`).join('; ');
}
