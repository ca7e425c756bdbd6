import { AppError } from '@latchkey/shared/errors';
import { validationFailure } from '@latchkey/shared/http';

/** The body is no document that this server reads: 400. */
export function refuseXml(message: string): AppError {
  return validationFailure('', message);
}

/** The rules of the document contradict each other: 400, as AWS's verification suite demands. Encryptors show the text as it is. */
export function refuseContract(detail: string): AppError {
  return new AppError('VALIDATION_FAILED', { detail, members: { errors: [{ path: '', message: detail }] } });
}

/**
 * A well-formed document that cannot be answered: 422.
 *
 * @param detail the text of the SPEKE specification for the case, if it has one. Encryptors show it as it is
 */
export function refuseCpix(detail: string): AppError {
  return new AppError('CPIX_REFUSED', { detail });
}
