import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { viewerToken } from '@latchkey/support/tokens';
import { Agent, request } from 'undici';
import { adminKey, tokenSecret } from '../servers.ts';
import { otherContentId, otherLeaseId, otherViewers } from './fill-large-content.ts';

/** Microseconds of each request, by the kind of request. */
export type Probes = Record<ProbeName, RecordableHistogram>;
type ProbeName = keyof typeof probes;

interface Ask {
  method: 'GET' | 'POST';
  path: string;
  as: 'viewer' | 'admin';
  lease?: true;
  json?: object;
}

/** The requests for the content that stays active, and how many of each are sent in a second. */
const probes = {
  'a key, state known': {
    perSecond: 200,
    // Ten viewers: after the first second the states of all are cached.
    viewers: 10,
    ask: (): Ask => ({ method: 'GET', path: `/keys/${otherContentId}`, as: 'viewer', lease: true }),
  },
  'a key, state to be read': {
    perSecond: 5,
    viewers: otherViewers,
    ask: (): Ask => ({ method: 'GET', path: `/keys/${otherContentId}`, as: 'viewer', lease: true }),
  },
  'a renewal': {
    perSecond: 10,
    viewers: otherViewers,
    ask: (n: number): Ask => ({
      method: 'POST',
      path: '/keys/leases/renew',
      as: 'viewer',
      json: { leaseId: otherLeaseId(n), requestedTtlSeconds: 3_600 },
    }),
  },
  'a new lease': {
    perSecond: 10,
    viewers: otherViewers,
    ask: (): Ask => ({
      method: 'POST',
      path: '/keys/leases',
      as: 'viewer',
      json: { contentId: otherContentId },
    }),
  },
  'a look-up of a lease': {
    perSecond: 10,
    viewers: otherViewers,
    ask: (n: number): Ask => ({ method: 'GET', path: `/api/v1/leases/${otherLeaseId(n)}`, as: 'admin' }),
  },
  'a list of leases': {
    perSecond: 2,
    viewers: otherViewers,
    ask: (n: number): Ask => ({ method: 'GET', path: `/api/v1/leases?viewerId=viewer-0-${n}`, as: 'admin' }),
  },
} as const;

export const probeNames = Object.keys(probes) as ProbeName[];

/** Sends requests at a fixed pace until it is stopped, without waiting for earlier answers. */
export async function startProbes(url: string): Promise<{ take(): Probes; stop(): Promise<void> }> {
  const agent = new Agent({ connections: 64 });
  const tokens = Array.from({ length: otherViewers }, (_, n) => viewerToken(tokenSecret, `viewer-0-${n}`));
  let taken = emptyProbes();
  const ask = async (name: ProbeName, turn: number) => {
    const n = turn % probes[name].viewers;
    const { method, path, as, lease, json } = probes[name].ask(n);
    const into = taken[name];
    const beganAt = performance.now();
    const answer = await request(url + path, {
      dispatcher: agent,
      method,
      headers: {
        authorization: `Bearer ${as === 'admin' ? adminKey : tokens[n]}`,
        ...(lease ? { 'x-lease-id': otherLeaseId(n) } : {}),
        ...(json ? { 'content-type': 'application/json' } : {}),
      },
      ...(json ? { body: JSON.stringify(json) } : {}),
    });
    await answer.body.dump();
    if (answer.statusCode >= 300) throw new Error(`${name}: ${answer.statusCode}`);
    into.record(Math.ceil((performance.now() - beganAt) * 1_000));
  };
  const timers = probeNames.map((name) => {
    let turn = 0;
    return setInterval(() => {
      ask(name, turn++).catch((error) => console.error(String(error)));
    }, 1_000 / probes[name].perSecond);
  });
  let stopping: Promise<void> | undefined;
  return {
    take() {
      const before = taken;
      taken = emptyProbes();
      return before;
    },
    stop() {
      for (const timer of timers) clearInterval(timer);
      stopping ??= agent.close();
      return stopping;
    },
  };
}

function emptyProbes(): Probes {
  return Object.fromEntries(probeNames.map((name) => [name, createHistogram()])) as Probes;
}
