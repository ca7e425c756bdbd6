import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { ask } from '../client/ask.ts';
import { askInRow, isOk, isUnauthenticated, tell } from './asked-in-row.ts';
import { readBucket, signedWith } from './credentials.ts';
import { contentId, viewerIds } from './mixed-requests.ts';
import type { ProfileName } from './prepared-profile.ts';
import type { Rotation, Scene } from './rotation.ts';

/** Hundreds of requests between two steps. */
const stepMs = 1_500;
const everywhere: readonly ProfileName[] = [
  'single node',
  'workers',
  'single node on Postgres',
  'separate services',
];

const makeSecret = () => randomBytes(32).toString('hex');

/** Has every process read its files, and lets requests pass. */
async function hangUp({ stack }: Scene): Promise<void> {
  await stack.hangUp();
  await pause(stepMs);
}

/** The steps of docs/runbooks/rotate-token-secret.md, without the wait for the longest life of a token. */
async function rotateTokenSecret(scene: Scene): Promise<() => Promise<void>> {
  const { stack, credentials, checks } = scene;
  const { read, write } = stack.secrets;
  const [old, next] = [read('AUTH_JWT_SECRET'), makeSecret()];
  write('AUTH_JWT_SECRET_PREVIOUS', next);
  await hangUp(scene);
  credentials.tokenOf = signedWith(next);
  await pause(stepMs);
  write('AUTH_JWT_SECRET_PREVIOUS', old);
  write('AUTH_JWT_SECRET', next);
  await hangUp(scene);
  write('AUTH_JWT_SECRET_PREVIOUS', '');
  await hangUp(scene);
  return async () => {
    const [viewerId = ''] = viewerIds;
    const byOld = await askInRow(stack, `/keys/${contentId}`, signedWith(old)(viewerId));
    checks.check(
      'every process refuses tokens of the old secret',
      byOld.every(isUnauthenticated),
      tell(byOld),
    );
    const byNext = await askInRow(stack, `/keys/${contentId}`, signedWith(next)(viewerId));
    checks.check('every process accepts tokens of the new secret', byNext.every(isOk), tell(byNext));
  };
}

/** The steps of docs/runbooks/rotate-internal-secret.md. */
async function rotateInternalSecret(scene: Scene): Promise<() => Promise<void>> {
  const { stack, checks } = scene;
  const { read, write } = stack.secrets;
  const [old, next] = [read('INTERNAL_SECRET'), makeSecret()];
  write('INTERNAL_SECRET_PREVIOUS', next);
  await hangUp(scene);
  write('INTERNAL_SECRET_PREVIOUS', old);
  write('INTERNAL_SECRET', next);
  await hangUp(scene);
  write('INTERNAL_SECRET_PREVIOUS', '');
  await hangUp(scene);
  return async () => {
    const statusesFor = (secret: string) =>
      Promise.all(
        stack.internalOrigins.map(async (origin) => {
          const answer = await ask(origin, {
            path: '/openapi.json',
            headers: { 'x-latchkey-secret': secret },
          });
          return answer.status;
        }),
      );
    checks.check(
      'every service refuses the old secret',
      (await statusesFor(old)).every((status) => status === 401),
    );
    checks.check(
      'every service knows the new one',
      (await statusesFor(next)).every((status) => status === 200),
    );
  };
}

/** The steps of docs/runbooks/rotate-bootstrap-key.md. */
async function rotateBootstrapKey(scene: Scene): Promise<() => Promise<void>> {
  const { stack, credentials, checks } = scene;
  const { read, write } = stack.secrets;
  const [old, next] = [read('ADMIN_API_KEY'), `lk_${makeSecret()}`];
  write('ADMIN_API_KEY_PREVIOUS', old);
  write('ADMIN_API_KEY', next);
  await hangUp(scene);
  credentials.adminKey = next;
  await pause(stepMs);
  write('ADMIN_API_KEY_PREVIOUS', '');
  await hangUp(scene);
  return async () => {
    const path = '/api/v1/leases?limit=1';
    const byOld = await askInRow(stack, path, old);
    checks.check('every process refuses the old key', byOld.every(isUnauthenticated), tell(byOld));
    const byNext = await askInRow(stack, path, next);
    checks.check('every process accepts the new key', byNext.every(isOk), tell(byNext));
  };
}

/** The steps of docs/runbooks/rotate-bucket-credentials.md. While they go on, the store accepts both pairs. */
async function rotateBucket(scene: Scene): Promise<() => Promise<void>> {
  const { stack, credentials } = scene;
  const { write } = stack.secrets;
  const old = readBucket(stack.secrets);
  write('AWS_ACCESS_KEY_ID', `AKIA${randomBytes(8).toString('hex').toUpperCase()}`);
  write('AWS_SECRET_ACCESS_KEY', makeSecret());
  const next = readBucket(stack.secrets);
  credentials.buckets = [old, next];
  await hangUp(scene);
  // The store forgets the old pair: from now on an upload that is signed with it counts as failed.
  credentials.buckets = [next];
  await pause(stepMs);
  return async () => {};
}

/** The secrets that every process reads again at SIGHUP. */
export const signalRotations: readonly Rotation[] = [
  { name: 'token secret', profiles: everywhere, rotate: rotateTokenSecret },
  { name: 'internal secret', profiles: ['separate services'], rotate: rotateInternalSecret },
  { name: 'bootstrap key', profiles: everywhere, rotate: rotateBootstrapKey },
  { name: 'credentials of the bucket', profiles: everywhere, rotate: rotateBucket },
];
