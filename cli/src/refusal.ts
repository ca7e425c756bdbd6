import { AppError } from '@latchkey/shared/errors';

/** An option, a variable or the input cannot be used: exit code 2. @param detail names it, and the accepted forms */
export function refusal(detail: string, cause?: unknown): AppError {
  return new AppError('VALIDATION_FAILED', { detail, cause });
}

/** The work failed: exit code 1. */
export function failure(detail: string, cause?: unknown): AppError {
  return new AppError('INTERNAL', { detail, cause });
}

/** Something else does not answer, or was interrupted: exit code 1, and a later run may succeed. */
export function unavailable(detail: string, cause?: unknown): AppError {
  return new AppError('DEPENDENCY_UNAVAILABLE', { detail, cause });
}

/** For the `catch` of a promise that reads. @param what cannot be read @throws AppError `VALIDATION_FAILED` with the code of the system */
export function refuseUnreadable(what: string): (cause: unknown) => never {
  return (cause) => {
    throw refusal(`${what} cannot be read (${(cause as NodeJS.ErrnoException).code ?? 'unreadable'})`, cause);
  };
}

/** For the `catch` of a promise that makes a file. @throws AppError `VALIDATION_FAILED` if there is one of its name; every other error as it is */
export function refuseExisting(detail: string): (cause: NodeJS.ErrnoException) => never {
  return (cause) => {
    throw cause.code === 'EEXIST' ? refusal(detail, cause) : cause;
  };
}
