import { setTimeout as pause } from 'node:timers/promises';
import { viewerToken } from '@latchkey/support/tokens';
import { Agent, request } from 'undici';
import { adminKey, call, tokenSecret } from '../servers.ts';

/** What was asked of the server while a load ran, in milliseconds. */
export interface DrivenActs {
  keysMs: number[];
  revocationsMs: number[];
  /** When the revocation of each lease was answered, on the clock of `performance.now`. */
  answeredAt: Map<string, number>;
}

export const contentId = 'film';
/** More than the usage of a minute counts apart, so each minute's end has as much to add up as it can have. */
const viewers = 6_000;
const keysPerSecond = 200;
const revocationsPerSecond = 5;

/**
 * Fetches keys for viewers in turn, and makes and revokes leases, at fixed rates and without waiting for earlier answers.
 *
 * @throws Error if an answer is no success
 */
export async function driveActs(url: string, seconds: number): Promise<DrivenActs> {
  const agent = new Agent({ connections: 64 });
  const acts: DrivenActs = { keysMs: [], revocationsMs: [], answeredAt: new Map() };
  const tokens = Array.from({ length: viewers }, (_, n) => viewerToken(tokenSecret, `viewer-${n}`));
  const fetchKey = async (n: number) => {
    const beganAt = performance.now();
    const answer = await request(`${url}/keys/${contentId}`, {
      dispatcher: agent,
      headers: { authorization: `Bearer ${tokens[n % viewers]}` },
    });
    await answer.body.dump();
    if (answer.statusCode !== 200) throw new Error(`a key: ${answer.statusCode}`);
    acts.keysMs.push(performance.now() - beganAt);
  };
  const revoke = async (n: number) => {
    const body = { contentId, viewerId: `revoked-${n}` };
    const { lease } = (await call(url, 'POST', '/keys/leases', adminKey, body)) as { lease: { id: string } };
    const beganAt = performance.now();
    await call(url, 'POST', '/keys/leases/revoke', adminKey, { leaseId: lease.id });
    const endedAt = performance.now();
    acts.revocationsMs.push(endedAt - beganAt);
    acts.answeredAt.set(lease.id, endedAt);
  };
  const running: Promise<void>[] = [];
  const failures: unknown[] = [];
  const repeat = (perSecond: number, act: (n: number) => Promise<void>) => {
    let turn = 0;
    const next = () => running.push(act(turn++).catch((error) => void failures.push(error)));
    return setInterval(next, 1_000 / perSecond);
  };
  const timers = [repeat(keysPerSecond, fetchKey), repeat(revocationsPerSecond, revoke)];
  await pause(seconds * 1_000);
  for (const timer of timers) clearInterval(timer);
  await Promise.all(running);
  await agent.close();
  if (failures.length > 0) throw failures[0];
  return acts;
}
