import { randomBytes } from 'node:crypto';
import { createManagement, demand } from '../client/management.ts';
import { judgeKeys } from './judge-keys.ts';
import type { Rotation, Scene } from './rotation.ts';

const version = 2;
const names = [`MASTER_KEY_HEX_V${version}`, `SALT_HEX_V${version}`] as const;
/** Registered after the rotation. */
const laterContentId = 'film-of-the-second-version';

/**
 * The steps of docs/runbooks/rotate-master-key.md: the processes that derive keys are started again, one after the other, with the second
 * version beside the first.
 */
async function addVersion({ stack, credentials, checks }: Scene): Promise<() => Promise<void>> {
  const { secrets } = stack;
  for (const name of names) secrets.write(name, randomBytes(32).toString('hex'));
  const changed = secrets.variables(names);
  await stack.restartInTurn((process) => (process.startsWith('key-derivation') ? changed : null));
  return async () => {
    const management = createManagement(stack.origin, credentials.adminKey, stack.playlistUrl);
    const { content } = await demand(management.registerContent(laterContentId));
    checks.check('content that is registered now gets the second version', content.keyVersion === version);
    const [masterKey, salt] = names.map(secrets.read);
    const material = { MASTER_KEY_HEX: masterKey ?? '', SALT_HEX: salt ?? '' };
    const { lease } = await demand(management.createLease('viewer-of-it', laterContentId));
    const fault = await judgeKeys(stack.origin, {
      contentId: laterContentId,
      token: credentials.tokenOf('viewer-of-it'),
      leaseId: lease.id,
      material,
    });
    checks.check('every process derives its key from the second version', fault === null, fault ?? '');
  };
}

/** The master key is never replaced: content of the first version needs it as long as it exists. */
export const masterKeyRotations: readonly Rotation[] = [
  { name: 'second version of the master key', profiles: ['separate services'], rotate: addVersion },
];
