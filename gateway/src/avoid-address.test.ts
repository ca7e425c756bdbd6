import type { RequestListener } from 'node:http';
import { stopTime } from '@latchkey/shared/testing/stop-time';
import { describe, expect, test } from 'vitest';
import {
  answersCome,
  type FakeService,
  type GatewayFixture,
  serveInTest,
  startGatewayInTest,
} from './forwarding.fixture.ts';

const get = async (gateway: GatewayFixture) => (await fetch(`${gateway.url}/keys/film`)).status;
const post = async (gateway: GatewayFixture) =>
  (await fetch(`${gateway.url}/keys/leases`, { method: 'POST' })).status;
async function inTurn(count: number, ask: () => Promise<number>): Promise<number[]> {
  const statuses: number[] = [];
  for (let request = 0; request < count; request++) statuses.push(await ask());
  return statuses;
}

const good: RequestListener = (_request, response) => void response.end('ok');
/** A replica that has lost touch: it answers what it still knows, and soon nothing. */
const unsure: RequestListener = (_request, response) =>
  void response.writeHead(503, { 'x-latchkey-phase': 'unsure' }).end();
/** A process that stands still: the system takes its connections, and nobody answers. */
const silent: RequestListener = () => {};

describe('a replica that is unsure', () => {
  test('requests to an unsure replica succeed at a sure one, and the unsure one gets one request', async () => {
    const [lost, ...sure] = [await serveInTest(unsure), await serveInTest(good), await serveInTest(good)];
    const gateway = await startGatewayInTest([lost, ...sure]);
    expect(new Set(await inTurn(30, () => get(gateway)))).toEqual(new Set([200]));
    expect(lost.received).toHaveLength(1);
    expect(gateway.faults).toEqual([]);
    expect(gateway.lines).toHaveLength(30);
  });

  test('a 503 of a sure replica reaches the client, because the others lack the same dependency', async () => {
    const services = [
      await serveInTest((_request, response) => void response.writeHead(503).end()),
      await serveInTest((_request, response) => void response.writeHead(503).end()),
    ];
    const gateway = await startGatewayInTest(services);
    expect(new Set(await inTurn(10, () => get(gateway)))).toEqual(new Set([503]));
    expect(services.map(({ received }) => received.length)).toEqual([5, 5]);
  });
});

describe('a replica that cannot answer one request', () => {
  /** It has what every film needs but the newest. */
  const withoutNewest: RequestListener = (request, response) =>
    request.url === '/keys/newest'
      ? void response.writeHead(503, { 'x-latchkey-elsewhere': '1', 'retry-after': '1' }).end()
      : good(request, response);
  const asked = ({ received }: FakeService, path: string) =>
    received.filter(({ url }) => url === path).length;

  test('a request that no replica can answer is sent to each once, and the client gets the 503 without internal headers', async () => {
    const services = [await serveInTest(withoutNewest), await serveInTest(withoutNewest)];
    const gateway = await startGatewayInTest(services);
    const answer = await fetch(`${gateway.url}/keys/newest`);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
    expect(answer.headers.get('x-latchkey-elsewhere')).toBeNull();
    expect(services.map((service) => asked(service, '/keys/newest'))).toEqual([1, 1]);
  });
});

/** How long a request may take until its address counts as silent. */
const silentAfterMs = 500;

describe('a replica that stands still', () => {
  test('a paused replica delays requests by half a second, and gets no more of them', async () => {
    const time = stopTime();
    const [paused, ...others] = [await serveInTest(silent), await serveInTest(good), await serveInTest(good)];
    const gateway = await startGatewayInTest([paused, ...others], { silentAfterMs, connections: 8 });
    // All but the 8 for which the paused one had room.
    const othersAnswered = answersCome(22);
    const statuses = Promise.all(Array.from({ length: 30 }, () => get(gateway)));
    await Promise.all([time.begun(silentAfterMs, 30), othersAnswered, paused.came(8)]);
    time.advance(silentAfterMs);
    expect(new Set(await statuses)).toEqual(new Set([200]));
    expect(new Set(await inTurn(10, () => get(gateway)))).toEqual(new Set([200]));
    expect(paused.received).toHaveLength(8);
    expect(gateway.faults).toEqual([]);
  });

  test('a request that waits for a connection goes to another replica than the paused one, whatever its method', async () => {
    const time = stopTime();
    const [paused, other] = [await serveInTest(silent), await serveInTest(good)];
    const gateway = await startGatewayInTest([paused, other], {
      silentAfterMs,
      answerLimitMs: 1_500,
      connections: 1,
    });
    const othersAnswered = answersCome(7);
    const statuses = Promise.all(Array.from({ length: 8 }, () => post(gateway)));
    await Promise.all([time.begun(silentAfterMs, 8), othersAnswered, paused.came(1)]);
    time.advance(silentAfterMs);
    await new Promise(setImmediate);
    expect(new Set(await inTurn(4, () => post(gateway)))).toEqual(new Set([200]));
    time.advance(1_000);
    // One was sent, and nobody knows what became of it.
    expect((await statuses).filter((status) => status === 503)).toHaveLength(1);
    expect(paused.received).toHaveLength(1);
    expect(other.received).toHaveLength(11);
  });
});

describe('replicas that are slow', () => {
  test('if all replicas are slow, one request is sent twice, and the others wait', async () => {
    const time = stopTime();
    const slowAnswers: (() => void)[] = [];
    const slow: RequestListener = (_request, response) => slowAnswers.push(() => response.end('ok'));
    const services = [await serveInTest(slow), await serveInTest(slow)] as const;
    const gateway = await startGatewayInTest([...services], { silentAfterMs });
    const statuses = Promise.all(Array.from({ length: 10 }, () => get(gateway)));
    await Promise.all(services.map((service) => service.came(5)));
    time.advance(silentAfterMs);
    const received = () => services.flatMap((service) => service.received).length;
    while (received() < 11) await new Promise(setImmediate);
    for (let passedMs = 0; passedMs < 1_500; passedMs += silentAfterMs) {
      time.advance(silentAfterMs);
      await new Promise(setImmediate);
    }
    for (const answer of slowAnswers) answer();
    expect(await statuses).toEqual(Array(10).fill(200));
    expect(received()).toBe(11);
  });

  test('a slow request waits at its replica while that answers others', async () => {
    const time = stopTime();
    let answerSlow = () => {};
    const serve: RequestListener = (request, response) => {
      if (request.url === '/keys/slow') answerSlow = () => response.end('ok');
      else response.end('ok');
    };
    const services = [await serveInTest(serve), await serveInTest(serve)] as const;
    const gateway = await startGatewayInTest([...services], { silentAfterMs });
    const slow = fetch(`${gateway.url}/keys/slow`);
    while (services.every(({ received }) => received.length === 0)) await new Promise(setImmediate);
    expect(await inTurn(4, () => get(gateway))).toEqual([200, 200, 200, 200]);
    time.advance(silentAfterMs);
    await new Promise(setImmediate);
    answerSlow();
    expect((await slow).status).toBe(200);
    expect(
      services.flatMap(({ received }) => received).filter(({ url }) => url === '/keys/slow'),
    ).toHaveLength(1);
  });
});
