import { AppError } from '../errors/errors.ts';
import { describeError, type RequestFailure, redact } from '../log/index.ts';

/** Enough for an error of a driver with its cause. It is also sent as a header between services. */
const longestCause = 300;

/**
 * The cause of a 5xx, for the log line of its request.
 *
 * @param thrown what the error was made from
 */
export function describeFailure(error: AppError, thrown: unknown): RequestFailure {
  const call = findCall(error);
  const reason = error.cause ?? (thrown === error ? null : thrown);
  const text = reason instanceof Error ? describeError(reason) : (call?.why ?? error.message);
  return {
    cause: redact(text).slice(0, longestCause),
    upstream: call?.upstream ?? null,
    tries: call?.tries ?? null,
  };
}

/** A decision wraps the error of the read that failed. */
function findCall(error: unknown): AppError['call'] {
  if (!(error instanceof Error)) return undefined;
  return (error instanceof AppError ? error.call : undefined) ?? findCall(error.cause);
}
