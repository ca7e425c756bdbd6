import { AppError } from '@latchkey/shared/errors';
import type { App } from '@latchkey/shared/http';
import { elsewhereHeader } from '@latchkey/shared/upstream';

/**
 * The content has a version of the master key that this process does not have. It has no cause, so it is not logged for each
 * request: the ring has warned of the version.
 */
export class MasterKeyMissing extends AppError {
  constructor() {
    super('DEPENDENCY_UNAVAILABLE');
  }
}

/**
 * Tells the gateway, with a 503 for a version of the master key that this process lacks, that another replica may have it. The
 * process can answer all other requests, so the gateway keeps sending them.
 *
 * Only for a process behind the gateway, which removes the header: in the single node it would reach clients.
 */
export function reportMissingKeys(app: App): void {
  app.addHook('onError', (_request, reply, error, done) => {
    if (error instanceof MasterKeyMissing) reply.header(elsewhereHeader, '1');
    done();
  });
}
