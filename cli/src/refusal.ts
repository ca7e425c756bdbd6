import { AppError } from '@latchkey/shared/errors';

/** An option, a variable or the input cannot be used: exit code 2. @param detail names it, and the accepted forms */
export function refusal(detail: string, cause?: unknown): AppError {
  return new AppError('VALIDATION_FAILED', { detail, cause });
}
