import type { App } from '@latchkey/shared/http';
import { elsewhereHeader } from '@latchkey/shared/upstream';
import { MasterKeyMissing } from './master-key-missing.ts';

/**
 * Tells the gateway, with a 503 for a version of the master key that this process lacks, that another replica may have it. The
 * process is as good as any other for all other requests, so it says nothing of itself.
 *
 * For a process behind the gateway: where the routes are mounted on it, nobody takes the header off again.
 */
export function reportMissingKeys(app: App): void {
  app.addHook('onError', (_request, reply, error, done) => {
    if (error instanceof MasterKeyMissing) reply.header(elsewhereHeader, '1');
    done();
  });
}
