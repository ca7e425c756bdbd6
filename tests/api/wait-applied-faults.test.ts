import type { LatchkeyProcess } from '@latchkey/support/processes/latchkey-process';
import { startStack } from '@latchkey/support/stack/start-stack';
import { makeDatabase } from '@latchkey/support/stores/new-database';
import { startOwnNats } from '@latchkey/support/stores/own-stores';
import { viewerToken } from '@latchkey/support/tokens';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';

// Processes are paused and killed here, and the stack of several replicas starts anew.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const { TEST_POSTGRES_URL = '', WAITED_REVOCATIONS = '60' } = process.env;
/** Of each file run. `WAITED_REVOCATIONS=1000` is the long form. */
const revocations = Number(WAITED_REVOCATIONS);
/** The default of `AUTHORITY_MAX_AGE_SECONDS`. */
const limitMs = 5_000;
/** Two pulls, each at its latest, and the reads of a waiting process. A busy machine needs the rest. */
const pulledWithinMs = 4_000;
const contentId = 'film';

const [database, nats] = await Promise.all([makeDatabase(TEST_POSTGRES_URL), startOwnNats()]);
let stack: Awaited<ReturnType<typeof startStack>>;
let replicas: readonly LatchkeyProcess[] = [];
beforeAll(async () => {
  stack = await startStack({
    stores: { postgres: database.url, nats: nats.url },
    rolePrefix: database.name,
    replicas: { 'key-derivation': 3, leases: 2 },
    settings: { LOG_LEVEL: 'fatal', SHUTDOWN_DRAIN_SECONDS: '0' },
  });
  replicas = stack.processes['key-derivation'];
  await Promise.all(stack.all.map((process) => process.waitWhole()));
  const { status } = await manage('/api/v1/content', { id: contentId, name: 'A film' });
  expect(status).toBe(201);
});
afterAll(async () => {
  await stack?.end('SIGKILL');
  await Promise.all([nats.stop(), database.drop()]);
});

async function manage(path: string, body: object) {
  const answer = await fetch(`${stack.url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${stack.secrets.ADMIN_API_KEY}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  });
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of many forms
  return { status: answer.status, json: (await answer.json()) as any };
}

let viewers = 0;

/** A viewer whose lease each replica knows. */
async function makePlayer(known = replicas) {
  const viewerId = `viewer-${++viewers}`;
  const { json } = await manage('/keys/leases', { viewerId, contentId });
  const token = viewerToken(stack.secrets.AUTH_JWT_SECRET, viewerId);
  const headers = {
    authorization: `Bearer ${token}`,
    'x-lease-id': json.lease.id,
    // As the gateway sends it.
    'x-latchkey-secret': stack.secrets.INTERNAL_SECRET,
  };
  /** The statuses of the replicas, each asked directly. */
  const ask = (asked = replicas) =>
    Promise.all(
      asked.map(async ({ url }) => {
        const answer = await fetch(`${url}/keys/${contentId}`, { headers });
        await answer.arrayBuffer();
        return answer.status;
      }),
    );
  expect(await ask(known)).toEqual(known.map(() => 200));
  return { viewerId, ask };
}

const revoke = (viewerId: string) => manage('/keys/leases/revoke?wait=applied', { viewerId });

/** Revokes many players, four at a time. @returns how long each answer took, and the keys that came after one */
async function revokeMany(count: number) {
  const delaysMs: number[] = [];
  let keys = 0;
  const work = async () => {
    while (delaysMs.length + 4 <= count) {
      const player = await makePlayer();
      const { status, json } = await revoke(player.viewerId);
      const after = await player.ask();
      keys += after.filter((each) => each === 200).length;
      expect([status, json.applied, after]).toEqual([200, true, replicas.map(() => 403)]);
      delaysMs.push(json.appliedAfterMs);
    }
  };
  await Promise.all([work(), work(), work(), work()]);
  return { delaysMs: delaysMs.sort((a, b) => a - b), keys };
}

function report(condition: string, delaysMs: readonly number[]): void {
  const [median, p99] = [0.5, 0.99].map((part) => delaysMs[Math.floor(delaysMs.length * part)]);
  const figures = `median ${median} ms, p99 ${p99} ms, at most ${delaysMs.at(-1)} ms`;
  process.stderr.write(
    `${condition}, ${delaysMs.length} revocations were applied everywhere after: ${figures}\n`,
  );
}

it('under load, no replica serves a key after any answer that waited, and the answers do not wait for a pull', async () => {
  const loaded = await Promise.all(Array.from({ length: 20 }, () => makePlayer()));
  let isOver = false;
  const statuses = new Set<number>();
  const load = loaded.map(async ({ ask }) => {
    while (!isOver) for (const status of await ask()) statuses.add(status);
  });
  const { delaysMs, keys } = await revokeMany(revocations);
  isOver = true;
  await Promise.all(load);
  report('under load', delaysMs);
  expect([keys, [...statuses]]).toEqual([0, [200]]);
});

it('while one replica is stopped, the answer comes when it can no longer serve, and it serves no key after it goes on', async () => {
  const [paused, ...others] = replicas;
  const player = await makePlayer();
  paused?.signal('SIGSTOP');
  try {
    const { json } = await revoke(player.viewerId);
    expect(json).toMatchObject({ applied: true });
    expect(json.appliedAfterMs).toBeGreaterThan(limitMs - 1_000);
    expect(json.appliedAfterMs).toBeLessThan(limitMs + 2_000);
    expect(await player.ask(others)).toEqual([403, 403]);
  } finally {
    paused?.signal('SIGCONT');
  }
  const statuses: number[] = [];
  for (let n = 0; n < 20; n++) statuses.push(...(await player.ask()));
  expect(statuses).not.toContain(200);
  await paused?.waitWhole();
});

it('while NATS is lost, no replica serves a key after an answer that waited for the pulls', async () => {
  const { pid } = nats;
  process.kill(pid, 'SIGSTOP');
  try {
    const { delaysMs, keys } = await revokeMany(12);
    report('without NATS', delaysMs);
    expect(keys).toBe(0);
    expect(delaysMs.at(-1)).toBeLessThan(pulledWithinMs);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
});

it('a client that leaves while it waits leaves the revocation in force', async () => {
  const [paused, ...others] = replicas;
  const player = await makePlayer();
  paused?.signal('SIGSTOP');
  try {
    const leaving = new AbortController();
    const answer = fetch(`${stack.url}/keys/leases/revoke?wait=applied`, {
      method: 'POST',
      signal: leaving.signal,
      headers: {
        authorization: `Bearer ${stack.secrets.ADMIN_API_KEY}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ viewerId: player.viewerId }),
    });
    await vi.waitFor(async () => expect(await player.ask(others)).toEqual([403, 403]), limitMs);
    leaving.abort();
    await expect(answer).rejects.toThrow();
  } finally {
    paused?.signal('SIGCONT');
  }
  await paused?.waitWhole();
});

it('a process that ended in order is not waited for, and one that was killed at most for its limit, until it is dropped', async () => {
  const [first, second, third] = replicas;
  const left = [second, third].filter((each) => each !== undefined);
  await first?.end('SIGTERM');
  const ended = await makePlayer(left);
  const short = await revoke(ended.viewerId);
  expect(await ended.ask(left)).toEqual([403, 403]);
  expect(short.json.appliedAfterMs).toBeLessThan(pulledWithinMs);
  await second?.end('SIGKILL');
  const rest = [third].filter((each) => each !== undefined);
  const player = await makePlayer(rest);
  const { json } = await revoke(player.viewerId);
  expect(await player.ask(rest)).toEqual([403]);
  expect(json).toMatchObject({ applied: true });
  expect(json.appliedAfterMs).toBeLessThan(limitMs + 2_000);
});
