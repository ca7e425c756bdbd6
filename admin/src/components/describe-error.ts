import { ApiError, UnreachableError, UnreadableError } from '../api/api-error.ts';

/** A fault in words: what is the matter, and what to do. */
interface ErrorWords {
  title: string;
  advice: string;
  /** By which the server's log names the request. */
  requestId: string | null;
}

/**
 * What was asked for: `shown` is read again by itself once the server is back, `asked-once` is not, and an `act` may have been
 * done though its answer did not arrive.
 */
export type Purpose = 'shown' | 'asked-once' | 'act';

const perhapsDone = 'It may or may not have been done: look before you try again.';

/** Words for anything that a request may end with. */
export function describeError(error: unknown, purpose: Purpose = 'shown'): ErrorWords {
  if (error instanceof UnreachableError)
    return {
      title: 'The server does not answer',
      advice: {
        shown: 'Is it running, and is the way to it open? This page tries again by itself.',
        'asked-once': 'Is it running, and is the way to it open? Try again when it is.',
        act: perhapsDone,
      }[purpose],
      requestId: null,
    };
  if (error instanceof UnreadableError)
    return {
      title: 'The answer cannot be read',
      advice:
        purpose === 'act'
          ? perhapsDone
          : 'Something between this page and the server may have answered in its place: a proxy, or a network that wants you to sign in.',
      requestId: null,
    };
  if (!(error instanceof ApiError))
    return {
      title: 'Something in this page went wrong',
      advice:
        purpose === 'act'
          ? `${perhapsDone} Load the page again.`
          : 'Load the page again. Nothing on the server was changed by that.',
      requestId: null,
    };
  const { title, advice } = describeAnswer(error);
  // A fault, not a refusal: it may have come after the deed.
  const isFault = purpose === 'act' && error.status >= 500;
  return { title, advice: isFault ? `${perhapsDone} ${advice}` : advice, requestId: error.requestId };
}

/** By its code; by its status where it came from a proxy, which gives none. */
function describeAnswer(error: ApiError): Pick<ErrorWords, 'title' | 'advice'> {
  switch (error.code) {
    case 'INVALID_API_KEY':
    case 'UNAUTHENTICATED':
    case 'INVALID_TOKEN':
      return { title: 'This key is not accepted', advice: 'It is unknown, revoked or expired.' };
    case 'INSUFFICIENT_SCOPE':
      return { title: 'Your key may not do this', advice: 'Sign in with a key of scope admin or full.' };
    case 'RATE_LIMITED':
    case 'HTTP_429':
      return { title: 'Too many requests', advice: `Try again ${inSeconds(error)}.` };
    case 'DEPENDENCY_UNAVAILABLE':
      return {
        title: 'A part of the server is not available',
        advice: `Try again ${inSeconds(error)}; /ready names the part.`,
      };
    case 'HTTP_503':
      return { title: 'The server is not available', advice: `Try again ${inSeconds(error)}.` };
    case 'HTTP_413':
      return {
        title: 'That is too much for one request',
        advice: 'The server, or a proxy before it, takes less. Make it shorter.',
      };
    case 'INTERNAL':
      return {
        title: 'The server failed at this request',
        advice: 'Its log has the cause, under the id of the request.',
      };
    case 'VALIDATION_FAILED':
      return { title: 'The server refused the input', advice: explainInput(error) };
    default:
      return {
        title: error.status >= 500 ? 'The server failed' : 'The server said no',
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
