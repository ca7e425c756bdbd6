import { ApiError, UnreachableError, UnreadableError } from '../api/api-error.ts';

/** An error in words: what failed, and what to do. */
interface ErrorWords {
  title: string;
  advice: string;
  /** Identifies the request in the server's log. */
  requestId: string | null;
}

/**
 * The kind of request. `shown`: data that is read again by itself once the server is back. `read-once`: data that is not.
 * `act`: a change, which may have been made even if its answer did not arrive.
 */
export type Purpose = 'shown' | 'read-once' | 'act';

const perhapsDone = 'It may or may not have been done. Check before you try again.';

/** Describes any error that a request can end with. */
export function describeError(error: unknown, purpose: Purpose = 'shown'): ErrorWords {
  if (error instanceof UnreachableError)
    return {
      title: 'The server does not answer',
      advice: {
        shown: 'Is it running and reachable? This page tries again by itself.',
        'read-once': 'Is it running and reachable? Try again then.',
        act: perhapsDone,
      }[purpose],
      requestId: null,
    };
  if (error instanceof UnreadableError)
    return {
      title: 'The answer could not be read',
      advice:
        purpose === 'act'
          ? perhapsDone
          : 'A proxy, or a network that asks you to sign in, may have answered in place of the server.',
      requestId: null,
    };
  if (!(error instanceof ApiError))
    return {
      title: 'This page failed',
      advice:
        purpose === 'act'
          ? `${perhapsDone} Then reload the page.`
          : 'Reload the page. Nothing on the server has changed.',
      requestId: null,
    };
  const { title, advice } = describeAnswer(error);
  // A 5xx may have happened after the change was made. A 4xx is a refusal.
  const isFault = purpose === 'act' && error.status >= 500;
  return { title, advice: isFault ? `${perhapsDone} ${advice}` : advice, requestId: error.requestId };
}

/** By its code. The answer of a proxy has no code, so its status is used. */
function describeAnswer(error: ApiError): Pick<ErrorWords, 'title' | 'advice'> {
  switch (error.code) {
    case 'INVALID_API_KEY':
    case 'UNAUTHENTICATED':
    case 'INVALID_TOKEN':
      return { title: 'The server does not accept this key', advice: 'It is unknown, revoked or expired.' };
    case 'INSUFFICIENT_SCOPE':
      return {
        title: 'Your key does not have this permission',
        advice: 'Sign in with a key of scope admin or full.',
      };
    case 'RATE_LIMITED':
    case 'HTTP_429':
      return { title: 'Too many requests', advice: `Try again ${inSeconds(error)}.` };
    case 'DEPENDENCY_UNAVAILABLE':
      return {
        title: 'Part of the server is unavailable',
        advice: `Try again ${inSeconds(error)}. /ready names the part.`,
      };
    case 'HTTP_503':
      return { title: 'The server is unavailable', advice: `Try again ${inSeconds(error)}.` };
    case 'HTTP_413':
      return {
        title: 'The request is too large',
        advice: 'The server, or a proxy in front of it, has a lower limit. Shorten the input.',
      };
    case 'INTERNAL':
      return {
        title: 'The server failed to handle this request',
        advice: 'The server’s log has the cause, under the request ID.',
      };
    case 'VALIDATION_FAILED':
      return { title: 'The server refused the input', advice: explainInput(error) };
    default:
      return {
        title: error.status >= 500 ? 'The server failed' : 'The server refused the request',
        advice: error.detail,
      };
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
