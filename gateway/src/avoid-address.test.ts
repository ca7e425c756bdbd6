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

describe('a replica that stands still', () => {
  /** How long a service may take for a sign of life. */
  const signOfLifeMs = 500;

  test('a paused replica delays requests only until its probe has no answer', async () => {
    const time = stopTime();
    const [paused, ...others] = [await serveInTest(silent), await serveInTest(good), await serveInTest(good)];
    const gateway = await startGatewayInTest([paused, ...others], { doubtAfterMs: 20, connections: 8 });
    // All but the 8 for which the paused one had room.
    const othersAnswered = answersCome(22);
    const statuses = Promise.all(Array.from({ length: 30 }, () => get(gateway)));
    await Promise.all([time.begun(20, 30), othersAnswered, paused.came(8)]);
    time.advance(20);
    // The question whether it lives.
    await paused.came(9);
    time.advance(signOfLifeMs);
    expect(new Set(await statuses)).toEqual(new Set([200]));
    expect(new Set(await inTurn(10, () => get(gateway)))).toEqual(new Set([200]));
    expect(paused.received.filter(({ url }) => url === '/keys/film')).toHaveLength(8);
    expect(gateway.faults).toEqual([]);
  });

  test('a request that waits for a connection to a paused replica goes to another one, whatever its method', async () => {
    const time = stopTime();
    const [paused, other] = [await serveInTest(silent), await serveInTest(good)];
    const gateway = await startGatewayInTest([paused, other], {
      doubtAfterMs: 20,
      answerLimitMs: 1_500,
      connections: 1,
    });
    const othersAnswered = answersCome(7);
    const statuses = Promise.all(Array.from({ length: 8 }, () => post(gateway)));
    await Promise.all([time.begun(20, 8), othersAnswered, paused.came(1)]);
    time.advance(20);
    await paused.came(2);
    time.advance(signOfLifeMs);
    time.advance(1_500);
    // One was sent, and nobody knows what became of it.
    expect((await statuses).filter((status) => status === 503)).toHaveLength(1);
    expect(paused.received.filter(({ method }) => method === 'POST')).toHaveLength(1);
    expect(other.received.filter(({ method }) => method === 'POST')).toHaveLength(7);
  });
});

test('a slow replica that answers its probe is waited for, and no request is sent twice', async () => {
  const time = stopTime();
  const slowAnswers: (() => void)[] = [];
  const slow: RequestListener = (request, response) => {
    if (request.url === '/health') response.end('ok');
    else slowAnswers.push(() => response.end('ok'));
  };
  const services = [await serveInTest(slow), await serveInTest(slow)];
  const gateway = await startGatewayInTest(services, { doubtAfterMs: 20 });
  const statuses = Promise.all(Array.from({ length: 10 }, () => get(gateway)));
  await Promise.all(services.map((service) => service.came(5)));
  const signsOfLife = answersCome(2);
  time.advance(20);
  await signsOfLife;
  for (const answer of slowAnswers) answer();
  expect(await statuses).toEqual(Array(10).fill(200));
  const asked = services.flatMap(({ received }) => received).filter(({ url }) => url === '/keys/film');
  expect(asked).toHaveLength(10);
});
