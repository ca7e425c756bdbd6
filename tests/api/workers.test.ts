import { Agent, request } from 'node:http';
import { kill } from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { metricsPorts, readDocumentedMetrics, readMetrics } from '@latchkey/support/black-box/read-metrics';
import { readLines } from '@latchkey/support/black-box/request-lines';
import { createLease, makeScene, revokeLeases } from '@latchkey/support/black-box/server-actions';
import { isSingleNode, type OwnSingleNode, startSingleNode } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { viewerToken } from '@latchkey/support/tokens';
import { describe, expect, it, vi } from 'vitest';

const patience = { timeout: 120_000, interval: 50 };

interface KeyRequest {
  contentId: string;
  token: string;
  leaseId?: string;
  epoch?: number;
}

/** Half of the limit of a test: a connection that nobody serves fails here, with a reason. */
const answerLimitMs = 90_000;

/** Asks on a connection of its own: each new connection goes to the next worker. Rejects if the connection breaks or nobody serves it. */
function ask(
  server: OwnSingleNode,
  { contentId, token, leaseId, epoch }: KeyRequest,
  agent?: Agent,
): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, ...(leaseId ? { 'x-lease-id': leaseId } : {}) };
  const path = `/keys/${contentId}${epoch === undefined ? '' : `/${epoch}`}`;
  return new Promise((resolve, reject) => {
    request(new URL(path, server.url), { headers, agent: agent ?? false }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode ?? 0));
    })
      .setTimeout(answerLimitMs, () => reject(new Error('nobody serves this connection')))
      .once('error', reject)
      .end();
  });
}

const askTimes = (times: number, server: OwnSingleNode, key: KeyRequest) =>
  Promise.all(Array.from({ length: times }, () => ask(server, key)));

/** The process ids of the workers that have served so far, the latest last. */
const workersOf = (server: OwnSingleNode) =>
  [...server.process.stderr().matchAll(/worker (\d+) serves/g)].map(([, pid]) => Number(pid));

const countRolls = (server: OwnSingleNode) =>
  server.process.stderr().split('every worker was replaced').length - 1;

async function countServed(server: OwnSingleNode): Promise<number> {
  const url = /metrics on (http:\/\/127\.0\.0\.1:\d+\/metrics)/.exec(server.process.stderr())?.[1] ?? '';
  const text = await (await fetch(url)).text();
  return Number(/^latchkey_key_requests_total\{outcome="served",.*\} (\d+)$/m.exec(text)?.[1] ?? 0);
}

const twoWorkers = { LATCHKEY_WORKERS: '2', LOG_LEVEL: 'info' };
const startBoth = () =>
  Promise.all([
    // Their own, because their processes are killed, stopped and replaced.
    startSingleNode(twoWorkers),
    startSingleNode({
      ...twoWorkers,
      RATE_LIMIT: 'on',
      RATE_LIMIT_KEYS_PER_MINUTE: '6',
      AUTHORITY_MAX_AGE_SECONDS: '1',
    }),
  ]);
// Vitest also runs the body of a suite that it skips, so nothing may be started there.
const [server, limited] = (isSingleNode ? await startBoth() : []) as Awaited<ReturnType<typeof startBoth>>;

describe.runIf(isSingleNode)('a single node with two workers', () => {
  it('serves no key by any worker once a revocation is answered', async () => {
    for (let round = 0; round < 10; round++) {
      const { contentId, token, viewerId } = await makeScene(server);
      const leaseId = await createLease(server, { token, contentId });
      const key = { contentId, token, leaseId };
      expect(await askTimes(4, server, key)).toEqual([200, 200, 200, 200]);
      await revokeLeases(server, round % 2 ? { leaseId } : { viewerId });
      expect(await askTimes(4, server, key)).toEqual([403, 403, 403, 403]);
    }
  });

  it('lets a viewer take no more than the burst of a content from all workers together', async () => {
    const keyPeriods = { mode: 'sequence', count: 100, periodSeconds: 3_600, burst: 4, speed: 1 };
    const contentId = unique('content');
    const body = { id: contentId, name: 'paced', keyPeriods };
    expect((await server.client.post('/api/v1/content', server.adminApiKey, body)).status).toBe(201);
    const token = viewerToken(server.jwtSecret, unique('viewer'));
    const statuses = [];
    for (let epoch = 0; epoch < 10; epoch++) statuses.push(await ask(server, { contentId, token, epoch }));
    expect(statuses).toEqual([200, 200, 200, 200, 429, 429, 429, 429, 429, 429]);
  });

  it('serves the metrics of all processes as those of one node: ages and states once, under one name', async () => {
    const { types, samples } = await readMetrics(metricsPorts(server.process).get('single-node') ?? 0);
    const values = (name: string) =>
      samples.filter((sample) => sample.name === name).map(({ value }) => value);
    expect(samples.filter(({ labels }) => labels.service !== 'single-node')).toEqual([]);
    const [age = Number.NaN] = values('latchkey_feed_age_seconds');
    expect(age).toBeLessThan(5);
    for (const [name, value] of [
      ['latchkey_feed_limit_seconds', 5],
      ['latchkey_replica_unsure', 0],
      ['latchkey_build_info', 1],
      ['latchkey_ready', 1],
    ] as const)
      expect([name, values(name)]).toEqual([name, [value]]);
    expect(new Set(values('latchkey_dependency_up'))).toEqual(new Set([1]));
    expect(values('process_start_time_seconds')[0]).toBeGreaterThan(0);
    const documented = readDocumentedMetrics();
    expect(
      [...types.keys()].filter((name) => /^(latchkey|http)_/.test(name) && !documented.has(name)),
    ).toEqual([]);
  });

  it('replaces a worker that is killed, and no count goes back', async () => {
    const { contentId, token } = await makeScene(server);
    await askTimes(20, server, { contentId, token });
    await vi.waitFor(async () => expect(await countServed(server)).toBeGreaterThanOrEqual(20), patience);
    const [before, workers] = [await countServed(server), workersOf(server)];
    // A process that is killed takes along the lines that it has gathered for its next write.
    await vi.waitFor(() => {
      const written = new Set(readLines(server.process).map(({ requestId }) => requestId));
      expect(server.client.answered.filter((id) => !written.has(id))).toEqual([]);
    }, patience);
    kill(workers.at(-1) ?? 0, 'SIGKILL');
    await vi.waitFor(() => expect(workersOf(server)).toHaveLength(workers.length + 1), patience);
    expect(await countServed(server)).toBeGreaterThanOrEqual(before);
    expect(await askTimes(4, server, { contentId, token })).toEqual([200, 200, 200, 200]);
  });

  it('replaces every worker on SIGHUP, and no request fails meanwhile', async () => {
    const { contentId, token } = await makeScene(server);
    const before = workersOf(server);
    const agent = new Agent({ keepAlive: true });
    const statuses = new Set<number>();
    let isOver = false;
    const play = async (own?: Agent) => {
      while (!isOver) {
        statuses.add(await ask(server, { contentId, token }, own));
        // Leaves processor time to the workers that start.
        await pause(20);
      }
    };
    const players = [play(), play(), play(agent)];
    server.process.kill('SIGHUP');
    await vi.waitFor(() => expect(countRolls(server)).toBe(1), patience);
    isOver = true;
    await Promise.all(players);
    agent.destroy();
    expect([...statuses]).toEqual([200]);
    expect(workersOf(server)).toHaveLength(before.length + 2);
  });

  it('loses no connection that comes while a worker ends and the process that accepts it is held up', async () => {
    const { contentId, token } = await makeScene(server);
    const [before, rolled] = [workersOf(server).length, countRolls(server)];
    server.process.kill('SIGHUP');
    await vi.waitFor(() => expect(workersOf(server)).toHaveLength(before + 1), patience);
    // An old worker answers on for 3 s from here. Its end falls into the time for which the parent is stopped.
    await pause(2_500);
    server.process.kill('SIGSTOP');
    const waiting = askTimes(8, server, { contentId, token });
    await pause(1_500);
    server.process.kill('SIGCONT');
    expect(new Set(await waiting)).toEqual(new Set([200]));
    await vi.waitFor(() => expect(countRolls(server)).toBe(rolled + 1), patience);
  });
});

describe.runIf(isSingleNode)('a single node with two workers and limits', () => {
  it('counts the key requests of a viewer over all workers', async () => {
    const { contentId, token } = await makeScene(limited);
    const statuses = [];
    for (let n = 0; n < 10; n++) statuses.push(await ask(limited, { contentId, token }));
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 429, 429, 429, 429]);
  });

  it('answers 503 once the process that owns the database is silent for AUTHORITY_MAX_AGE_SECONDS, and serves again after it', async () => {
    const { contentId } = await makeScene(limited);
    const askAnew = () =>
      ask(limited, { contentId, token: viewerToken(limited.jwtSecret, unique('viewer')) }, agent);
    // A stopped parent accepts no connection, so this one is opened before.
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    expect(await askAnew()).toBe(200);
    limited.process.kill('SIGSTOP');
    try {
      await vi.waitFor(async () => expect(await askAnew()).toBe(503), patience);
    } finally {
      limited.process.kill('SIGCONT');
    }
    await vi.waitFor(async () => expect(await askAnew()).toBe(200), patience);
    agent.destroy();
  });
});
