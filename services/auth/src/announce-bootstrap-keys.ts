import { hashCredential } from '@latchkey/shared/auth';
import type { SetupSecrets } from './config.ts';
import type { Ledger } from './own-tables.ts';

/**
 * Has every cache drop what it knows of a bootstrap key that has begun or ended with a renewal of `ADMIN_API_KEY`.
 *
 * @returns to be called now and then; if it fails, the next call tries again
 */
export function createBootstrapKeyAnnouncer(
  ledger: Pick<Ledger, 'write'>,
  setup: Pick<SetupSecrets, 'bootstrapKeys'>,
): () => Promise<void> {
  let announced = setup.bootstrapKeys;
  return async () => {
    const present = setup.bootstrapKeys;
    if (present === announced) return;
    const changed = [...present, ...announced].filter(
      (key) => present.includes(key) !== announced.includes(key),
    );
    await ledger.write(async (entry) => {
      for (const key of changed) await entry.change({ kind: 'api-key', keyHash: hashCredential(key) });
    });
    announced = present;
  };
}
