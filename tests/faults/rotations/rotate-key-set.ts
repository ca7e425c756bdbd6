import { setTimeout as pause } from 'node:timers/promises';
import { type IssuerKey, makeIssuerKey } from '@latchkey/support/tokens';
import { type Answer, ask } from '../client/ask.ts';
import { contentId, viewerIds } from './mixed-requests.ts';
import type { RotatedStack } from './rotated-stack.ts';
import type { Rotation, Scene } from './rotation.ts';

/** At each step: hundreds of requests. */
const stepMs = 2_000;
/** Requests of each kind in a row that must be refused: more than there are processes behind a load balancer, twice over. */
const refusedInRow = 12;
/** Above the 5 s in which a process reads the set once for tokens whose key it does not know. Issuers do not change keys that often. */
const nextReadingMs = 5_500;
/** A process has read the set again after two rounds of such tokens, 5 s apart. The rest is for a slow machine. */
const withdrawnLimitMs = 60_000;

/** The tokens of all viewers, made beforehand: signing with such a key is asynchronous. */
async function tokensOf(key: IssuerKey): Promise<(viewerId: string) => string> {
  const tokens = new Map<string, string>();
  for (const viewerId of viewerIds) tokens.set(viewerId, await key.sign(viewerId));
  return (viewerId) => tokens.get(viewerId) ?? '';
}

/** The steps of docs/runbooks/rotate-key-set.md: both keys are published, the issuer changes over, the old key is withdrawn. */
async function rotateKeySet({ stack, credentials, checks }: Scene): Promise<() => Promise<void>> {
  const [old, next, unknown] = await Promise.all(['old', 'next', 'unknown'].map(makeKey));
  if (!old || !next || !unknown) throw new Error('a key was not made');
  const [byOld, byNext] = await Promise.all([tokensOf(old), tokensOf(next)]);
  stack.issuer.publish([old]);
  credentials.tokenOf = byOld;
  await pause(nextReadingMs);
  stack.issuer.publish([old, next]);
  // At once: nobody waits for servers to read the set. A token with a new key makes them read it.
  credentials.tokenOf = byNext;
  await pause(stepMs);
  stack.issuer.publish([next]);
  await pause(stepMs);
  return async () => {
    const [viewerId = ''] = viewerIds;
    const waitedMs = await waitRefused(stack, byOld(viewerId), await unknown.sign(viewerId));
    checks.check('every process refuses tokens of the withdrawn key', waitedMs <= withdrawnLimitMs);
    const accepted = await Promise.all(askEach(stack, byNext(viewerId)));
    checks.check('every process accepts tokens of the new key', accepted.every(isAccepted), tell(accepted));
  };
}

const makeKey = (name: string) => makeIssuerKey('ES256', `${name}-${Date.now()}`);
const isAccepted = ({ status }: Answer) => status >= 200 && status < 300;
/** 503 means that the process has read a set without the key less than 5 s ago, for another token. */
const isRefused = ({ status, code }: Answer) =>
  (status === 401 && code === 'INVALID_TOKEN') || (status === 503 && code === 'DEPENDENCY_UNAVAILABLE');
const tell = (answers: readonly Answer[]) =>
  answers.map(({ status, code }) => `${status} ${code}`).join(', ');

/** Requests that every process which verifies tokens gets a part of. */
function askEach({ origin }: RotatedStack, token: string): Promise<Answer>[] {
  const headers = { authorization: `Bearer ${token}` };
  return Array.from({ length: refusedInRow }, () => [
    ask(origin(), { path: `/keys/${contentId}`, headers }),
    ask(origin(), { method: 'POST', path: '/keys/leases', headers, json: { contentId } }),
  ]).flat();
}

/**
 * @param unknownToken of a key that is in no set, so that each process reads the set again
 * @returns how long it took until all refused the token
 */
async function waitRefused(stack: RotatedStack, token: string, unknownToken: string): Promise<number> {
  const startedAtMs = performance.now();
  const waitedMs = () => performance.now() - startedAtMs;
  do {
    await Promise.all(askEach(stack, unknownToken));
    if ((await Promise.all(askEach(stack, token))).every(isRefused)) return waitedMs();
    await pause(500);
  } while (waitedMs() <= withdrawnLimitMs);
  return waitedMs();
}

/** The keys by which an identity provider signs tokens. */
export const keySetRotations: readonly Rotation[] = [
  {
    name: 'key set of the issuer',
    profiles: ['single node', 'workers', 'single node on Postgres', 'separate services'],
    rotate: rotateKeySet,
  },
];
