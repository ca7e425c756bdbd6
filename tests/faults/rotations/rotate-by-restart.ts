import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Environment } from '@latchkey/support/processes/spawn-entry';
import { askInRow, isOk, isUnauthenticated, tell } from './asked-in-row.ts';
import type { RotatedStack } from './rotated-stack.ts';
import type { Rotation, Scene } from './rotation.ts';

/** Hundreds of requests with each key. */
const stepMs = 1_500;
/** `AUTHORITY_MAX_AGE_SECONDS` of docs/configuration.md, its default. */
const maxAgeMs = 5_000;
/** The leases service knows a key from auth alone. */
const path = '/api/v1/leases?limit=1';

/** Starts auth again, and no other process. */
const restartAuth = (stack: RotatedStack, changed: Environment) =>
  stack.restartInTurn((name) => (name.startsWith('auth') ? changed : null));

/** The steps of docs/runbooks/rotate-bootstrap-key.md where the keys are variables. Other processes learn of them from auth alone. */
async function restartWithBootstrapKey({ stack, credentials, checks }: Scene): Promise<() => Promise<void>> {
  const [old, next] = [stack.secrets.read('ADMIN_API_KEY'), `lk_${randomBytes(32).toString('hex')}`];
  const variables = (previous: string) => ({
    ADMIN_API_KEY: next,
    ADMIN_API_KEY_FILE: undefined,
    ADMIN_API_KEY_PREVIOUS: previous,
    ADMIN_API_KEY_PREVIOUS_FILE: undefined,
  });
  await restartAuth(stack, variables(old));
  credentials.adminKey = next;
  await pause(stepMs);
  await restartAuth(stack, variables(''));
  return async () => {
    // Every process has seen the old key a short time ago, and none was told that it has ended.
    await pause(maxAgeMs);
    const byOld = await askInRow(stack, path, old);
    checks.check('every process refuses the old key', byOld.every(isUnauthenticated), tell(byOld));
    const byNext = await askInRow(stack, path, next);
    checks.check('every process accepts the new key', byNext.every(isOk), tell(byNext));
    // With its files again, for the next rotation.
    stack.secrets.write('ADMIN_API_KEY', next);
    await restartAuth(stack, {});
  };
}

/** Secrets that are variables, which a running process cannot read again. */
export const restartRotations: readonly Rotation[] = [
  {
    name: 'bootstrap key as a variable, with restarts',
    profiles: ['separate services'],
    rotate: restartWithBootstrapKey,
  },
];
