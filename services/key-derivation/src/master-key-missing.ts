import { AppError } from '@latchkey/shared/errors';

/**
 * The content has a version of the master key that this process does not have. It has no cause, so it is not logged for each
 * request: the ring has warned of the version.
 */
export class MasterKeyMissing extends AppError {
  constructor() {
    super('DEPENDENCY_UNAVAILABLE');
  }
}
