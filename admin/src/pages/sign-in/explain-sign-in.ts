import { ApiError } from '../../api/api-error.ts';
import { describeError } from '../../components/describe-error.ts';

/** What is wrong with the key that was entered, and what to do. */
export function explainSignIn(error: unknown): string {
  if (error instanceof ApiError) {
    // A JWT: the server knows it, and it is not for this.
    if (error.status === 403 || error.code === 'INVALID_TOKEN')
      return 'That is a token of a viewer. The dashboard takes an API key, which begins with lk_.';
    if (error.status === 401)
      return 'The server does not accept this key: it is unknown, revoked or expired. Is it of this server, and whole?';
  }
  const { title, advice } = describeError(error, 'asked-once');
  return `${title}. ${advice}`;
}
